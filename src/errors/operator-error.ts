/** The exit status of a program that cannot work as configured: restarting it changes nothing. */
export const EXIT_CONFIGURATION = 2;

/**
 * A failure that the operator can fix. The message is for the operator, one line: what happened, what the program did,
 * what to do next. Programs print it without a stack trace and end with `exitCode`.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT_CONFIGURATION;
  }
}

/** Returns the error to throw if the data directory of `npm start` cannot be used. */
export function dataDirectoryError(dataDir: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  return new OperatorError(
    `The data directory ${dataDir} cannot be used: ${systemErrorText(error)}. Choose another with --data-dir.`,
    { cause: error },
  );
}

/** Returns the text of a failed system call, as the end of a sentence: `no space left on the device`. */
export function systemErrorText(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'no space left on the device';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOENT':
      return 'there is no such file or directory';
    case 'ENOTDIR':
      return 'a part of the path is not a directory';
    case 'EISDIR':
      return 'it is a directory';
    case 'EADDRINUSE':
      return 'the port is in use';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
