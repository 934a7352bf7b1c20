import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { writeErrorToThrow } from './file-write-error.ts';

/** The callers that the node accepts (docs/protocol.md#rpc-authentication). */
export type RpcAuth =
  | { readonly type: 'password'; readonly username: string; readonly password: string }
  /** A new password at each start, written to the file, which is removed at the end. */
  | { readonly type: 'cookie'; readonly file: string }
  /** Whoever reaches the port. */
  | { readonly type: 'none' };

type AuthenticationResult = 'ok' | 'unauthorized' | 'malformed';

const COOKIE_USER = '__cookie__';
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Judges the `Authorization` headers of requests. */
export class RpcAuthenticator {
  readonly #auth: RpcAuth;
  /** `user:password`, undefined if no authentication is required. */
  #expected: string | undefined;

  private constructor(auth: RpcAuth) {
    this.#auth = auth;
  }

  /** Writes the cookie file if there is to be one. Rejects with a clear message if that fails or a name is unusable. */
  static async open(auth: RpcAuth): Promise<RpcAuthenticator> {
    const authenticator = new RpcAuthenticator(auth);
    await authenticator.renew();
    return authenticator;
  }

  /** Imitates a restart of the node: a cookie gets a new password. */
  async renew(): Promise<void> {
    const auth = this.#auth;
    if (auth.type === 'password') {
      if (auth.username.includes(':')) throw new Error('The RPC user name must not contain a colon.');
      this.#expected = `${auth.username}:${auth.password}`;
    } else if (auth.type === 'cookie') {
      this.#expected = `${COOKIE_USER}:${Array.from({ length: 32 }, () => ALPHANUMERIC[randomInt(62)]).join('')}`;
      await writeCookie(auth.file, this.#expected);
    }
  }

  judge(authorization: string | undefined): AuthenticationResult {
    if (this.#expected === undefined) return 'ok';
    if (authorization === undefined) return 'unauthorized';
    const base64 = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
    if (base64 === undefined) return 'malformed';
    const given = Buffer.from(base64, 'base64').toString('utf8');
    if (!given.includes(':')) return 'malformed';
    return timingSafeEqual(digest(given), digest(this.#expected)) ? 'ok' : 'unauthorized';
  }

  /** Removes the cookie file, unless another process has written its own since. */
  async close(): Promise<void> {
    if (this.#auth.type !== 'cookie') return;
    const content = await readFile(this.#auth.file, 'utf8').catch(() => undefined);
    if (content === this.#expected) await rm(this.#auth.file, { force: true });
  }
}

const digest = (text: string) => hash('sha256', text, 'buffer');

async function writeCookie(file: string, content: string): Promise<void> {
  // A reader must never see half a cookie.
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw writeErrorToThrow(`The RPC cookie file ${file}`, error);
  }
}
