/** The user and the password of a node's RPC: given, or read from its cookie file. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { NodeError } from './node-error.ts';

/** The credentials for the node (docs/protocol.md#rpc-authentication). */
export type NodeAuth =
  | { readonly type: 'password'; readonly username: string; readonly password: string }
  | { readonly type: 'cookie'; readonly file: string }
  /** The file has the whole value of the header `authorization`. */
  | { readonly type: 'header'; readonly file: string }
  | { readonly type: 'none' };

/**
 * The cookie file of a node with default settings (docs/protocol.md#rpc-authentication). `networkName` is the node's
 * name of the network: `mainnet`, `testnet`, `regtest` or `signet`.
 */
export function defaultCookieFile(
  networkName: string,
  where: { platform?: NodeJS.Platform; home?: string; appData?: string | undefined } = {},
): string {
  const { platform = process.platform, home = homedir(), appData = process.env.APPDATA } = where;
  switch (platform) {
    case 'win32':
      return win32.join(appData ?? win32.join(home, 'AppData', 'Roaming'), 'Mintlayer', networkName, '.cookie');
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', 'Mintlayer', networkName, '.cookie');
    default:
      return posix.join(home, '.mintlayer', networkName, '.cookie');
  }
}

/** The value of the `Authorization` header, kept until the node refuses it. */
export class RpcCredentials {
  readonly auth: NodeAuth;
  #header: Promise<string | undefined> | undefined;

  constructor(auth: NodeAuth) {
    this.auth = auth;
  }

  /** The header to send, `undefined` without credentials. A `NodeError` when the cookie file cannot be used. */
  header(): Promise<string | undefined> {
    this.#header ??= this.#read().catch((error: unknown) => {
      this.#header = undefined;
      throw error;
    });
    return this.#header;
  }

  /**
   * To be called after the node refused the credentials `refused`. Returns true if a retry is worthwhile: the node
   * writes a new cookie at each start, so the file is read again. Calls that were refused together read it once.
   */
  async renew(refused: string | undefined): Promise<boolean> {
    if (this.auth.type !== 'cookie' && this.auth.type !== 'header') return false;
    if ((await this.header().catch(() => undefined)) === refused) this.#header = undefined;
    return (await this.header()) !== refused;
  }

  /** The error to report when the node refused the newest credentials. */
  refusal(address: string): NodeError {
    // A node that is just starting writes its cookie a moment later than it listens: worth another try.
    const retryable = this.auth.type === 'cookie' || this.auth.type === 'header';
    return new NodeError('unauthorized', `The node at ${address} ${this.#refusalText()}`, { retryable });
  }

  #refusalText(): string {
    switch (this.auth.type) {
      case 'password':
        return 'refused the user name and password. Check --node-rpc-username and --node-rpc-password.';
      case 'cookie':
        return (
          `refused the cookie in ${this.auth.file}, which was read again just now. ` +
          'Is that the cookie file of the node at this address? Check --node-rpc-cookie-file.'
        );
      case 'header':
        return `refused the header in ${this.auth.file}, which was read again just now. Check --node-rpc-authorization-file.`;
      case 'none':
        return 'asks for credentials. Give --node-rpc-cookie-file, or --node-rpc-username and --node-rpc-password.';
    }
  }

  async #read(): Promise<string | undefined> {
    switch (this.auth.type) {
      case 'password':
        return basic(`${this.auth.username}:${this.auth.password}`);
      case 'cookie':
        return basic(await readCookie(this.auth.file));
      case 'header':
        return await readHeader(this.auth.file);
      case 'none':
        return undefined;
    }
  }
}

const basic = (userAndPassword: string) => `Basic ${Buffer.from(userAndPassword, 'utf8').toString('base64')}`;

async function readCookie(file: string): Promise<string> {
  const text = await readSecret(file, "node's cookie file", 'Is the node running? ');
  if (!/^[^:\s]+:\S+$/.test(text))
    throw new NodeError(
      'unauthorized',
      `The file ${file} is not a node's cookie file: expected one line with a name, a colon and a password.`,
      // It may be half written.
      { retryable: true },
    );
  return text;
}

async function readHeader(file: string): Promise<string> {
  const text = await readSecret(file, 'file of --node-rpc-authorization-file', '');
  if (/^[\x21-\x7e](?:[ \x21-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  const message = `The file ${file} has no header: expected one line, for example Bearer TOKEN.`;
  throw new NodeError('unauthorized', message, { retryable: true });
}

/** Reads a file without the white space around its content. Throws a NodeError. */
async function readSecret(file: string, what: string, question: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'EACCES'
          ? 'may not be read by this user'
          : `is unreadable (${code})`;
    throw new NodeError(
      'unauthorized',
      `The ${what} ${file} ${reason}. ${question}Otherwise give --node-rpc-cookie-file, --node-rpc-authorization-file, or ` +
        '--node-rpc-username and --node-rpc-password.',
      { retryable: code === 'ENOENT', cause: error },
    );
  }
}
