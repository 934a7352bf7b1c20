import { OperatorError, systemErrorText } from '../errors/operator-error.ts';

/** Returns the error to throw if `file` cannot be written: an `OperatorError` for a failed system call. */
export function writeErrorToThrow(file: string, error: unknown): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const question = code === 'ENOENT' ? ' Does its directory exist?' : '';
  return new OperatorError(`${file} cannot be written: ${systemErrorText(error)}.${question}`, { cause: error });
}
