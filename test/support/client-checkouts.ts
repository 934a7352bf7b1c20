/**
 * The source of Mintlayer's own clients, if `CLIENT_CHECKOUTS` names a folder with checkouts of their repositories: their
 * modules can be imported without their dependencies and bundlers. Otherwise there is only the SDK, from its package.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = process.env.CLIENT_CHECKOUTS;
const root = folder === undefined ? undefined : pathToFileURL(`${folder}/`).href;

/** For the option `skip` of a test: why it cannot run, or false. */
export const WITHOUT_CHECKOUTS = root === undefined && 'CLIENT_CHECKOUTS names no folder with checkouts of the clients';

/** What stands for modules of the clients that need a bundler, a database of theirs, or another service. */
const STUBS: Readonly<Record<string, string>> = {
  'server-only': '',
  dotenv: 'export const config = () => {};',
  'next/server': 'export const NextResponse = Response;',
  'next/dist/compiled/@edge-runtime/primitives': 'export const fetch = (...request) => globalThis.fetch(...request);',
  // Nothing is stored, so every route asks the API.
  '@/lib/explorer-store': [
    ...['RecentBlocks', 'RecentTransactions', 'Pools', 'PoolDelegations', 'Tokens', 'Nfts'].map(
      (name) => `export const get${name}FromDb = async () => []; export const save${name}ToDb = async () => {};`,
    ),
    'export const getPoolFromDb = async () => null;',
    'export const getPoolStatsFromDb = async () => ({}); export const savePoolStatsToDb = async () => {};',
    'export const getPoolStatsLastUpdatedAt = async () => null; export const getLatestBlockHeightFromDb = async () => null;',
  ].join('\n'),
  '@Constants': `export const AppInfo = { APP_LOCAL_STORAGE_CUSTOM_SERVERS: 'servers', NETWORK_TYPES: { TESTNET: 'testnet' } };
    export const EnvVars = { TESTNET_MINTLAYER_SERVERS: ['https://api-server-lovelace.mintlayer.org/api/v2'] };`,
  '@Storage': `export const LocalStorageService = { getItem: (key) => (key === 'networkType' ? 'testnet' : null) };`,
};

const WORKER = `${root}explorer/workers/lib/explorer-cache.js`;
const SUFFIXES = ['', '.ts', '.tsx', '.js', '/wasm_wrappers.js'];
const isFile = (url: string): boolean => existsSync(fileURLToPath(url)) && /\.[a-z]+$/.test(url);

if (root !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === '@mintlayer/sdk')
        return next(`${root}mintlayer-connect-sdk/packages/sdk/src/mintlayer-connect-sdk.ts`, context);
      const { parentURL } = context;
      if (!parentURL?.startsWith(root) || specifier.startsWith('node:')) return next(specifier, context);
      if (specifier in STUBS) return { url: `stub:${specifier}`, format: 'module', shortCircuit: true };
      const [, place] = /^(?:@\/|(?=\.))(.+)$/.exec(specifier) ?? [];
      if (specifier === 'pg') return next(createRequire(import.meta.url).resolve('pg'), context);
      if (specifier.startsWith('@mintlayer/')) return next(import.meta.resolve(specifier), context);
      if (place === undefined) return next(specifier, context);
      const base = new URL(place, specifier.startsWith('@') ? `${root}explorer/src/` : parentURL).href;
      const url = SUFFIXES.map((suffix) => base + suffix).find(isFile) ?? base;
      return next(context.conditions.includes('require') ? fileURLToPath(url) : url, context);
    },
    load(url, context, next) {
      if (url.startsWith('stub:'))
        return { format: 'module', source: STUBS[url.slice('stub:'.length)]!, shortCircuit: true };
      if (url === WORKER) {
        // It waits for seconds after each id that is of no token, or of no NFT.
        const source = readFileSync(fileURLToPath(url), 'utf8').replace('RETRY_DELAY_MS = 2000', 'RETRY_DELAY_MS = 1');
        return { format: 'commonjs', source, shortCircuit: true };
      }
      if (!url.startsWith(root) || !/\.tsx?$/.test(url)) return next(url, context);
      const source = readFileSync(fileURLToPath(url), 'utf8');
      // Stripping types leaves the names of types in lists of imports and exports.
      const isType = (name: string) => new RegExp(`^(interface|type) ${name}\\b`, 'm').test(source);
      const values = source
        .replace(/^import \{[^}]*\} from '\.\/types\/[^']*';/gm, '')
        .replace(
          /^export \{([^}]*)\}/gm,
          (_, names) => `export {${names.split(',').filter((name: string) => !isType(name.trim()))}}`,
        );
      return { format: 'module-typescript', source: values, shortCircuit: true };
    },
  });
}

/** Imports a module of a checkout. */
// biome-ignore lint/suspicious/noExplicitAny: modules of others
export async function importFromCheckout(path: string): Promise<any> {
  const { cwd } = process;
  // The explorer's codec is read from the folder that it runs in.
  process.cwd = () => `${folder}/explorer`;
  try {
    return await import(new URL(path, root).href);
  } finally {
    process.cwd = cwd;
  }
}

/** The SDK of the checkout, or of the package. */
export const sdk: typeof import('@mintlayer/sdk') = await import('@mintlayer/sdk');
