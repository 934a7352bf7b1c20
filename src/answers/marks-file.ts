/**
 * The operator's file of marks: names, icons, verifications and warnings of tokens, pools and addresses
 * (docs/explorer.md#marks). It is read at the start, and again when it changes.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import {
  AddressError,
  destinationAddress,
  parseDestination,
  parsePoolId,
  parseTokenId,
  poolAddress,
  tokenAddress,
} from '../chain/address.ts';
import { FieldReader } from '../chain/networks/json-object-reader.ts';
import { type Network, NetworkError } from '../chain/networks/network.ts';
import { OperatorError, systemErrorText } from '../errors/operator-error.ts';

export const MARK_KINDS = ['token', 'pool', 'address'] as const;
/** The path of icons below that of the API. */
export const MARK_ICON_PATH = '/marks/icon';
export const MARK_STATUSES = ['verified', 'warning'] as const;

/** What the operator says of a token, pool or address; null where it says nothing. */
export interface Mark {
  readonly id: string;
  readonly kind: (typeof MARK_KINDS)[number];
  readonly name: string | null;
  /** The key of the icon. */
  readonly icon: string | null;
  readonly status: (typeof MARK_STATUSES)[number] | null;
  readonly text: string | null;
  readonly url: string | null;
}

interface Icon {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface Marks {
  /** Who says so; null without a file. */
  readonly source: string | null;
  readonly sourceUrl: string | null;
  /** By the address of the marked. */
  readonly byId: ReadonlyMap<string, Mark>;
  /** By a name that changes with the content. */
  readonly icons: ReadonlyMap<string, Icon>;
  /** Changes with the content. */
  readonly version: string;
}

/** The marks that are in use. */
export interface CurrentMarks {
  readonly current: Marks;
}

export const NO_MARKS: Marks = { source: null, sourceUrl: null, byId: new Map(), icons: new Map(), version: '' };

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_MARKS = 5_000;
const MAX_ICON_BYTES = 64 * 1024;
const MAX_ALL_ICONS_BYTES = 16 * 1024 * 1024;
const MAX_LENGTHS = { source: 100, name: 60, text: 500, url: 500 } as const;
const CHECK_MS = 2_000;

/** The kinds of icons, each with what its content begins with. */
const ICON_TYPES: Readonly<Record<string, readonly [contentType: string, start: RegExp]>> = {
  '.png': ['image/png', /^.PNG\r\n.\n/],
  '.webp': ['image/webp', /^RIFF.{4}WEBP/s],
  '.svg': ['image/svg+xml', /^(?:\xef\xbb\xbf)?\s*<(?:svg|[?!].*<svg)[\s>]/s],
};
const ICON_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

interface WatchOptions {
  readonly logger: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly onChange: () => void;
}

export class MarksFile implements CurrentMarks {
  readonly #path: string;
  readonly #network: Network;
  readonly #interval: number;
  #current: Marks;
  #close: () => void = () => {};

  /** Reads the file. `interval`: milliseconds between two looks at it. Throws an {@link OperatorError} that names the entry. */
  constructor(path: string, network: Network, interval = CHECK_MS) {
    this.#interval = interval;
    this.#path = path;
    this.#network = network;
    this.#current = readMarks(path, network);
  }

  get current(): Marks {
    return this.#current;
  }

  /** Reads the file again when it changes. A file that cannot be used is logged, and what was read before stays in use. */
  watch({ logger, onChange }: WatchOptions): void {
    const read = (): void => {
      try {
        this.#current = readMarks(this.#path, this.#network);
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        logger.error({}, `${error.message}. The marks that were read before stay in use.`);
        return;
      }
      logger.info({ marks: this.#current.byId.size }, 'The file of marks has changed, and is in use.');
      onChange();
    };
    watchFile(this.#path, { interval: this.#interval, persistent: false }, read);
    this.#close = () => unwatchFile(this.#path, read);
  }

  close(): void {
    this.#close();
  }
}

function readMarks(path: string, network: Network): Marks {
  const where = `marks file ${path}`;
  try {
    return marksOf(JSON.parse(readSmallFile(path, MAX_FILE_BYTES).toString('utf8')), network, path, where);
  } catch (error) {
    if (error instanceof NetworkError) throw new OperatorError(error.message, { cause: error });
    if (error instanceof SyntaxError)
      throw new OperatorError(`${where} is not JSON: ${error.message}`, { cause: error });
    throw new OperatorError(`${where} cannot be read: ${systemErrorText(error)}`, { cause: error });
  }
}

function marksOf(value: unknown, network: Network, path: string, where: string): Marks {
  const fields = new FieldReader(value, where);
  const source = textIn(fields, 'source', where);
  if (source === null) throw new NetworkError(`${where}: "source" is missing: who says so`);
  const sourceUrl = urlIn(fields, 'source_url', where);
  const entries = fields.list('marks') ?? [];
  fields.refuseOthers();
  if (entries.length > MAX_MARKS) throw new NetworkError(`${where}: "marks" has more than ${MAX_MARKS} entries`);
  const icons = new IconReader(dirname(path));
  const byId = new Map<string, Mark>();
  for (const [i, entry] of entries.entries()) {
    const mark = markOf(entry, network, icons, `${where}: "marks" at ${i}`);
    if (byId.has(mark.id)) throw new NetworkError(`${where}: "marks" at ${i}: "id" is that of an entry before`);
    byId.set(mark.id, mark);
  }
  const version = shortHash(JSON.stringify([source, sourceUrl, ...byId.values()]));
  return { source, sourceUrl, byId, icons: icons.read, version };
}

function markOf(fields: FieldReader, network: Network, icons: IconReader, where: string): Mark {
  const [kind, id] = idOf(fields.text('id'), network, where);
  const icon = fields.text('icon');
  const mark: Mark = {
    id,
    kind,
    name: textIn(fields, 'name', where),
    icon: icon === undefined ? null : icons.keyOf(icon, where),
    status: fields.record.status === undefined ? null : fields.oneOf('status', MARK_STATUSES),
    text: textIn(fields, 'text', where),
    url: urlIn(fields, 'url', where),
  };
  fields.refuseOthers();
  if (mark.name === null && mark.icon === null && mark.status === null) {
    throw new NetworkError(`${where}: a "name", an "icon" or a "status" is expected`);
  }
  return mark;
}

/** Returns the kind of an id, and the id as this program writes it. */
function idOf(text: string | undefined, network: Network, where: string): readonly [Mark['kind'], string] {
  if (text === undefined) throw new NetworkError(`${where}: "id" is missing, of a token, pool or address`);
  const written: Readonly<Record<Mark['kind'], () => string>> = {
    token: () => tokenAddress(network, parseTokenId(network, text)),
    pool: () => poolAddress(network, parsePoolId(network, text)),
    address: () => destinationAddress(network, parseDestination(network, text)),
  };
  for (const kind of MARK_KINDS) {
    try {
      return [kind, written[kind]()];
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      if (error.reason !== 'wrong kind') throw new NetworkError(`${where}: "id": ${error.message}`, { cause: error });
    }
  }
  throw new NetworkError(`${where}: "id" must be of a token, pool or address, found ${JSON.stringify(text)}`);
}

function textIn(fields: FieldReader, key: keyof typeof MAX_LENGTHS, where: string): string | null {
  const text = fields.text(key);
  if (text === undefined) return null;
  if (text.length > MAX_LENGTHS[key] || /\p{C}/u.test(text) || text.trim() === '') {
    throw new NetworkError(`${where}: "${key}" must be at most ${MAX_LENGTHS[key]} visible characters`);
  }
  return text;
}

function urlIn(fields: FieldReader, key: 'url' | 'source_url', where: string): string | null {
  const text = fields.text(key);
  if (text === undefined) return null;
  const url = text.length <= MAX_LENGTHS.url ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new NetworkError(`${where}: "${key}" must be a URL like https://example.org, found ${JSON.stringify(text)}`);
  }
  return url.href;
}

class IconReader {
  readonly read = new Map<string, Icon>();
  readonly #folder: string;
  readonly #keys = new Map<string, string>();
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads the icon of a name, if that was not done before, and returns its key. */
  keyOf(name: string, where: string): string {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const type = ICON_TYPES[extname(name)];
    if (type === undefined || !ICON_NAME.test(name)) {
      throw new NetworkError(`${where}: "icon" must be a file beside this one, NAME.png, .svg or .webp, not "${name}"`);
    }
    const [contentType, start] = type;
    const bytes = this.#bytesOf(name, where);
    if (!start.test(bytes.toString('latin1')))
      throw new NetworkError(`${where}: "icon" "${name}" is no ${contentType}`);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_ALL_ICONS_BYTES) throw new NetworkError(`${where}: all icons have more than 16 MiB`);
    const key = shortHash(bytes) + extname(name);
    this.#keys.set(name, key);
    this.read.set(key, { contentType, bytes });
    return key;
  }

  #bytesOf(name: string, where: string): Buffer {
    try {
      return readSmallFile(join(this.#folder, name), MAX_ICON_BYTES);
    } catch (error) {
      throw new NetworkError(`${where}: "icon" "${name}" cannot be read: ${systemErrorText(error)}`, { cause: error });
    }
  }
}

/** The limit also guards against endless devices. */
function readSmallFile(path: string, maxBytes: number): Buffer {
  const file = statSync(path);
  if (!file.isFile() || file.size > maxBytes) throw new Error(`it is no file of at most ${maxBytes / 1024} KiB`);
  return readFileSync(path);
}

function shortHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
