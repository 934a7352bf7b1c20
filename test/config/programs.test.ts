import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { regtestPos } from '../../src/chain/networks/known-networks.ts';
import { REFUSED_VARIABLES } from '../../src/config/postgres.ts';
import { readScannerConfig } from '../../src/config/scanner.ts';
import { readUpgradeConfig } from '../../src/config/upgrade.ts';
import { readVerifyConfig } from '../../src/config/verify.ts';
import { readWebServerConfig } from '../../src/config/web-server.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { readUpConfig } from '../../src/up/options.ts';

test('the scanner has the defaults of the program that it replaces', () => {
  const { network, node, postgres, resync, metricsAddress } = readScannerConfig([], {});
  assert.equal(network.name, 'mainnet');
  assert.equal(node.address, '127.0.0.1:3030');
  assert.equal(node.auth.type, 'cookie');
  assert.match(node.auth.type === 'cookie' ? node.auth.file : '', /mainnet\/\.cookie$/);
  assert.deepEqual(postgres, {
    host: 'localhost',
    port: 5432,
    user: 'postgres',
    password: undefined,
    database: 'mintlayer-mainnet',
    maxConnections: 15,
  });
  assert.equal(resync, false);
  assert.equal(metricsAddress, undefined);
});

test('the scanner serves metrics where it is told to', () => {
  const { metricsAddress } = readScannerConfig([], { ML_API_SCANNER_DAEMON_METRICS_ADDRESS: '[::1]:9100' });
  assert.deepEqual(metricsAddress, { host: '::1', port: 9100 });
  for (const address of ['9100', 'localhost', ':9100', '127.0.0.1:99999', 'http://127.0.0.1:9100'])
    assert.throws(() => readScannerConfig([`--metrics-address=${address}`], {}), /--metrics-address must be HOST:PORT/);
});

test('the network decides the database, the port of the node and the cookie file', () => {
  const { postgres, node } = readScannerConfig(['--network', 'testnet'], {});
  assert.equal(postgres.database, 'mintlayer-testnet');
  assert.equal(node.address, '127.0.0.1:13030');
  assert.match(node.auth.type === 'cookie' ? node.auth.file : '', /testnet\/\.cookie$/);
  const regtest = readScannerConfig(['--network', 'regtest-pos'], {}).node.auth;
  assert.match(regtest.type === 'cookie' ? regtest.file : '', /regtest\/\.cookie$/);
});

test('the environment names are those of the programs that they replace', () => {
  const scanner = readScannerConfig([], {
    ML_API_SCANNER_DAEMON_NETWORK: 'signet',
    ML_API_SCANNER_DAEMON_NODE_RPC_ADDRESS: 'http://node:1234',
    ML_API_SCANNER_DAEMON_NODE_RPC_USERNAME: 'me',
    ML_API_SCANNER_DAEMON_NODE_RPC_PASSWORD: 'pw',
    ML_API_SCANNER_DAEMON_POSTGRES_HOST: 'db',
    ML_API_SCANNER_DAEMON_POSTGRES_PORT: '6543',
    ML_API_SCANNER_DAEMON_POSTGRES_USER: 'u',
    ML_API_SCANNER_DAEMON_POSTGRES_PASSWORD: 'p',
    ML_API_SCANNER_DAEMON_POSTGRES_DATABASE: 'd',
    ML_API_SCANNER_DAEMON_POSTGRES_MAX_CONNECTIONS: '4',
  });
  assert.equal(scanner.network.name, 'signet');
  assert.deepEqual(scanner.node, {
    address: 'node:1234',
    auth: { type: 'password', username: 'me', password: 'pw' },
  });
  assert.deepEqual(scanner.postgres, {
    host: 'db',
    port: 6543,
    user: 'u',
    password: 'p',
    database: 'd',
    maxConnections: 4,
  });
  const web = readWebServerConfig([], {
    ML_API_WEB_SRV_BIND_ADDRESS: '0.0.0.0:80',
    ML_API_WEB_SRV_ENABLE_POST_ROUTES: 'true',
    ML_API_WEB_SRV_CONTRACT: 'mintlayer-core',
  });
  assert.deepEqual(web.bindAddress, { host: '0.0.0.0', port: 80 });
  assert.equal(web.enablePostRoutes, true);
  assert.equal(web.contract, 'mintlayer-core');
});

test('the web server listens on this machine only, in the described response profile, and takes no transactions', () => {
  const { bindAddress, contract, enablePostRoutes, workers } = readWebServerConfig([], {});
  assert.deepEqual(
    { bindAddress, contract, enablePostRoutes, workers },
    {
      bindAddress: { host: '127.0.0.1', port: 3000 },
      contract: 'described',
      enablePostRoutes: false,
      workers: 1,
    },
  );
});

test('the web server takes the limits of its streams by the names of the program that it replaces', () => {
  assert.deepEqual(readWebServerConfig([], {}).streams, {
    maxSubscribers: 10_000,
    maxSubscribersPerClient: 20,
    broadcastCapacity: 1_024,
    keepaliveMs: 30_000,
  });
  const { streams } = readWebServerConfig(['--stream-events-poll-interval-secs', '5'], {
    ML_API_WEB_SRV_STREAM_EVENTS_MAX_SUBSCRIBERS: '128',
    ML_API_WEB_SRV_STREAM_EVENTS_MAX_SUBSCRIBERS_PER_CLIENT: '7',
    ML_API_WEB_SRV_STREAM_EVENTS_BROADCAST_CAPACITY: '64',
    ML_API_WEB_SRV_STREAM_EVENTS_POLL_INTERVAL_SECS: '30',
    ML_API_WEB_SRV_STREAM_EVENTS_KEEPALIVE_INTERVAL_SECS: '15',
  });
  assert.deepEqual(streams, {
    maxSubscribers: 128,
    maxSubscribersPerClient: 7,
    broadcastCapacity: 64,
    keepaliveMs: 15_000,
  });
});

test('the Mesh API is there if the operator says so, also to `up`', () => {
  assert.equal(readWebServerConfig([], {}).hasMesh, false);
  assert.equal(readWebServerConfig(['--mesh', 'on'], {}).hasMesh, true);
  assert.equal(readWebServerConfig([], { ML_API_WEB_SRV_MESH: 'on' }).hasMesh, true);
  assert.throws(() => readWebServerConfig(['--mesh', 'yes'], {}), /--mesh must be/);
  assert.deepEqual(readUpConfig(['--mesh', 'on'], {}).serving, { mesh: 'on' });
});

test('the gateway to IPFS is a plain URL of the web', () => {
  const read = (url: string) => readWebServerConfig(['--ipfs-gateway', url], {}).ipfsGateway;
  assert.equal(read('https://ipfs.io/'), 'https://ipfs.io');
  for (const url of ['ipfs.io', 'javascript:x', 'https://a@b.example', 'https://b.example/?cid=']) {
    assert.throws(() => read(url), /--ipfs-gateway must be a URL/);
  }
});

test('up hands the options of serving on to the web server', () => {
  const serving = (...argv: string[]) => readUpConfig(argv, {}).serving;
  assert.deepEqual(serving('--metrics-address', '[::1]:9100', '--public-url', 'http://x/a/'), {
    'metrics-address': '[::1]:9100',
    'public-url': 'http://x/a/',
  });
  assert.deepEqual(serving('--explorer', 'off', '--enable-post-routes'), {
    explorer: 'off',
    'enable-post-routes': 'true',
  });
  assert.deepEqual(readUpConfig([], { CHAIN_INDEXER_WORKERS: '2', CHAIN_INDEXER_CONTRACT: '' }).serving, {
    workers: '2',
  });
  const { 'rate-limit': rate, 'trust-proxy': proxies } = serving('--trust-proxy', '1', '--rate-limit', '7');
  assert.deepEqual([rate, proxies], ['7', '1']);
  const weights = '192.0.2.0/24=8,2001:db8::/48=4';
  assert.equal(serving('--client-weights', weights)['client-weights'], weights);
});

test('the number of trusted proxies and the weights of networks are checked', () => {
  const read = (...argv: string[]) => readWebServerConfig(argv, {});
  assert.equal(read('--trust-proxy', '2').trustedProxies, 2);
  assert.throws(() => read('--trust-proxy', '--rate-limit', '7'), /--trust-proxy needs a value/);
  assert.throws(() => read('--trust-proxy', 'nginx'), /--trust-proxy must be a whole number/);
  assert.deepEqual(read('--client-weights', '192.0.2.7=3').clientWeights, [{ network: '192.0.2.7', weight: 3 }]);
  for (const wrong of ['192.0.2.7', '192.0.2.7=0', 'host=2', '192.0.2.0/33=2', '2001:db8::/65=2']) {
    assert.throws(() => read('--client-weights', wrong), /--client-weights must be/, wrong);
  }
});

test('a mix of cookie file and password for the node is refused', () => {
  const cases: [string[], RegExp][] = [
    [['--node-rpc-username', 'u'], /--node-rpc-password is missing/],
    [['--node-rpc-password', 'p'], /--node-rpc-username is missing/],
    [['--node-rpc-cookie-file', 'f', '--node-rpc-password', 'p'], /either .* not both/],
    [['--node-rpc-cookie-file', 'f', '--node-rpc-username', 'u', '--node-rpc-password', 'p'], /either .* not both/],
  ];
  for (const [argv, pattern] of cases) {
    for (const reading of [readScannerConfig, readWebServerConfig, readUpConfig])
      assert.throws(
        () => reading([...(reading === readUpConfig ? ['--network', 'testnet'] : []), ...argv], {}),
        (error) => error instanceof OperatorError && error.exitCode === 2 && pattern.test(error.message),
      );
  }
});

test('several PostgreSQL hosts have ports of their own, or the same', () => {
  const read = (...argv: string[]) => readScannerConfig(argv, {}).postgres;
  const { host, port, others } = read('--postgres-host', 'a,b', '--postgres-port', '1,2');
  assert.deepEqual([host, port, others], ['a', 1, [{ host: 'b', port: 2 }]]);
  assert.deepEqual(read('--postgres-host', 'a,b').others, [{ host: 'b', port: 5432 }]);
  assert.equal(read('--postgres-host', 'a').others, undefined);
  assert.throws(() => read('--postgres-host', 'a,b', '--postgres-port', '1,2,3'), /3 ports for 2 hosts/);
  assert.throws(() => read('--postgres-host', 'a', '--postgres-port', '1,2'), /2 ports for 1 hosts/);
  assert.throws(() => read('--postgres-host', 'a,'), /empty host/);
  assert.throws(() => read('--postgres-port', '1,x'), /must be whole numbers from 1 to 65535/);
});

test('PGSSLMODE is one of its words, and decides how a connection is encrypted', () => {
  const tlsOf = (mode: string) => readScannerConfig([], { PGSSLMODE: mode }).postgres.tls;
  for (const mode of ['', 'disable']) assert.equal(tlsOf(mode), undefined);
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) assert.equal(tlsOf(mode), 'verified');
  assert.equal(tlsOf('no-verify'), 'unverified');
  const { database } = readUpConfig(['--postgres-host', 'db'], { PGSSLMODE: 'require' });
  assert.ok(database.type === 'external' && database.tls === 'verified');
  const node = ['--node-rpc-username=u', '--node-rpc-password=p'];
  for (const mode of ['verify_full', 'bogus', 'REQUIRE', 'allow', ' require', 'toString']) {
    for (const read of [
      () => readScannerConfig(node, { PGSSLMODE: mode }),
      () => readWebServerConfig(node, { PGSSLMODE: mode }),
      () => readUpgradeConfig(node, { PGSSLMODE: mode }),
      () => readVerifyConfig([], { PGSSLMODE: mode }),
      () => readUpConfig(['--postgres-host', 'db'], { PGSSLMODE: mode }),
    ])
      assert.throws(read, {
        exitCode: 2,
        message: `PGSSLMODE must be disable, prefer, require, verify-ca, verify-full or no-verify, not "${mode}".`,
      });
  }
});

test('a variable of PostgreSQL that would change the connection is refused, and one that would not has no effect', () => {
  const cases: Readonly<Record<string, readonly [refused: string, harmless?: string]>> = {
    PGHOSTADDR: ['10.0.0.1'],
    PGSERVICE: ['mine'],
    PGOPTIONS: ['-c search_path=public'],
    PGREQUIRESSL: ['1', '0'],
    PGSSLROOTCERT: ['system'],
    PGSSLCERT: ['c'],
    PGSSLKEY: ['k'],
    PGSSLCERTMODE: ['require', 'allow'],
    PGSSLCRL: ['c'],
    PGSSLCRLDIR: ['c'],
    PGSSLSNI: ['0', '1'],
    PGSSLNEGOTIATION: ['direct', 'postgres'],
    PGSSLMINPROTOCOLVERSION: ['TLSv1.3', 'TLSv1.2'],
    PGSSLMAXPROTOCOLVERSION: ['TLSv1.2', 'TLSv1.3'],
    PGGSSENCMODE: ['require', 'prefer'],
    PGCHANNELBINDING: ['require', 'prefer'],
    PGREQUIREAUTH: ['scram-sha-256'],
    PGREQUIREPEER: ['postgres'],
    PGTARGETSESSIONATTRS: ['read-write', 'any'],
    PGLOADBALANCEHOSTS: ['random', 'disable'],
    PGMINPROTOCOLVERSION: ['3.2', '3.0'],
    PGBINARY: ['1'],
    PGREPLICATION: ['database'],
    PGCLIENT_ENCODING: ['LATIN1', 'UTF8'],
  };
  for (const [variable, [refused, harmless = '']] of Object.entries(cases)) {
    assert.throws(() => readScannerConfig([], { [variable]: refused }), {
      exitCode: 2,
      message: new RegExp(`^${variable} is not used: [^\n]+\\.$`),
    });
    readScannerConfig([], { [variable]: harmless });
  }
  const named = { PGHOST: 'db', PGPORT: '1', PGUSER: 'me', PGDATABASE: 'mine' };
  assert.deepEqual(new Set(REFUSED_VARIABLES), new Set([...Object.keys(cases), ...Object.keys(named)]));
  const ofOptions = ['--postgres-host=a', '--postgres-port=2', '--postgres-user=u', '--postgres-database=d'];
  for (const [variable, value] of Object.entries(named)) {
    const message = `${variable} is not used: give --postgres-${variable.slice(2).toLowerCase()}, or unset the variable.`;
    assert.throws(() => readScannerConfig([], { [variable]: value }), { exitCode: 2, message });
  }
  assert.throws(
    () => readUpConfig(['--postgres-host', 'db'], { PGUSER: 'me' }),
    /PGUSER is not used: give --postgres-user/,
  );
  assert.throws(
    () => readScannerConfig([], { PGPASSFILE: '/no/such/file' }),
    /^OperatorError: PGPASSFILE: there is no file/,
  );
  const { host, port, user, database } = readScannerConfig(ofOptions, named).postgres;
  assert.deepEqual([host, port, user, database], ['a', 2, 'u', 'd']);
  // The embedded PostgreSQL has nothing to do with them.
  readUpConfig([], { PGSSLMODE: 'bogus', PGOPTIONS: '-c a=b', ...named });
  const others = {
    PGTZ: 'UTC',
    PGDATESTYLE: 'SQL',
    PGGEQO: 'off',
    PGAPPNAME: 'x',
    PGCONNECT_TIMEOUT: '1',
    PGDATA: '/d',
  };
  readScannerConfig([], { ...others, PGCLIENTENCODING: 'LATIN1', PGPASSWORD: 'p' });
});

test('several nodes have credentials of their own, or the same', () => {
  const read = (...argv: string[]) => readScannerConfig(argv, {}).node;
  const two = ['--node-rpc-address', 'a:1,b:2'];
  const password = (username: string, text: string) => ({ type: 'password', username, password: text });
  const own = read(...two, '--node-rpc-cookie-file', '/c,', '--node-rpc-username', ',u', '--node-rpc-password', ',p');
  assert.deepEqual(own, {
    address: 'a:1',
    auth: { type: 'cookie', file: '/c' },
    others: [{ address: 'b:2', auth: password('u', 'p') }],
  });
  const same = read(...two, '--node-rpc-username', 'u', '--node-rpc-password', 'p');
  assert.deepEqual([same.auth, same.others?.[0]?.auth], [password('u', 'p'), password('u', 'p')]);
  const single = read('--node-rpc-address', 'a:1', '--node-rpc-username', 'u', '--node-rpc-password', 'p,q');
  assert.deepEqual(single, { address: 'a:1', auth: password('u', 'p,q') });
  assert.throws(() => read(...two, '--node-rpc-cookie-file', '/c,/d,/e'), /has 3 values for 2 nodes/);
  assert.throws(() => read(...two, '--node-rpc-username', ',u'), /--node-rpc-password is missing/);
  assert.throws(() => read('--node-rpc-address', 'a:1,a:1'), /names a node twice/);
  assert.throws(() => read('--node-rpc-address', 'a:1,'), /must be HOST:PORT/);
});

test('a web server is refused whose connections to PostgreSQL are too few for its workers, with the numbers that fit', () => {
  const read = (workers: number, connections?: number) =>
    readWebServerConfig(
      [`--workers=${workers}`, ...(connections === undefined ? [] : [`--postgres-max-connections=${connections}`])],
      {},
    );
  for (const [workers, connections, message] of [
    [1, 1, /^--postgres-max-connections 1 is too few: a web server needs 3 connections\. Give \S+ 3 or more\.$/],
    [4, 4, /4 workers need 3 connections each\. Give --postgres-max-connections 12 or more, or --workers 1 at most\.$/],
    [4, 7, /Give --postgres-max-connections 12 or more, or --workers 2 at most\.$/],
    [6, undefined, /^--postgres-max-connections 15 is too few: .* Give \S+ 18 or more, or --workers 5 at most\.$/],
    [64, 1, /Give --postgres-max-connections 192 or more\.$/],
  ] as const)
    assert.throws(() => read(workers, connections), { name: 'OperatorError', exitCode: 2, message });
  for (const [workers, connections] of [
    [1, 3],
    [4, 12],
    [5, undefined],
    [64, 192],
  ] as const)
    assert.equal(read(workers, connections).workers, workers);
});

test('an unknown network is refused with the names of the known ones', () => {
  assert.throws(() => readScannerConfig(['--network', 'moonnet'], {}), {
    name: 'OperatorError',
    message:
      '--network: there is no network "moonnet". Known are mainnet, testnet, regtest, regtest-pos, signet; or give a JSON file (docs/protocol.md). See --help.',
  });
  assert.throws(
    () => readUpConfig([], { CHAIN_INDEXER_NETWORK: 'x' }),
    /^OperatorError: CHAIN_INDEXER_NETWORK: there is/,
  );
  assert.throws(() => readScannerConfig(['--network', './moonnet.json'], {}), /cannot be read/);
});

test('up simulates a lively chain, or replays one of ones own at once', () => {
  const demo = readUpConfig([], {});
  assert.equal(demo.dataDir, './data');
  assert.deepEqual(demo.database, { type: 'embedded', port: undefined });
  assert.deepEqual(demo.source, {
    type: 'simulation',
    preset: 'demo',
    seed: '1',
    blocks: 720,
    startTime: 'now',
    reorgProbability: 0,
    blockIntervalMs: 2000,
  });
  const said = readUpConfig(
    [
      ...['--preset', 'dense', '--seed', 's', '--blocks', '0', '--start-time', '2026-01-31T12:00Z'],
      ...['--reorg-probability', '.5', '--block-interval', '0'],
    ],
    {},
  ).source;
  assert.deepEqual(said, {
    type: 'simulation',
    preset: 'dense',
    seed: 's',
    blocks: 0,
    startTime: Date.parse('2026-01-31T12:00:00Z') / 1_000,
    reorgProbability: 0.5,
    blockIntervalMs: 0,
  });
  const own = readUpConfig(['--replay', 'my.ndjson'], {}).source;
  assert.deepEqual(own, { type: 'replay', file: 'my.ndjson', blockIntervalMs: 0, upto: undefined });
});

test('each chain of a devnet has an index of its own', () => {
  const databaseOf = (...argv: string[]) => readUpConfig(argv, {}).databaseName(regtestPos);
  assert.equal(databaseOf(), 'mintlayer-regtest-pos-demo-1');
  assert.equal(databaseOf('--preset', 'dense', '--seed', '7'), 'mintlayer-regtest-pos-dense-7');
  const [time, other] = ['2026-01-31T12:00:00Z', '2026-01-31T12:00:01Z'];
  assert.equal(databaseOf('--start-time', time), 'mintlayer-regtest-pos-demo-1-1769860800');
  assert.equal(databaseOf('--start-time', other), 'mintlayer-regtest-pos-demo-1-1769860801');
  assert.equal(databaseOf('--start-time', 'now'), databaseOf());
  assert.equal(databaseOf('--replay', '../chains/s31.ndjson.gz'), 'mintlayer-regtest-pos-s31');
  assert.equal(databaseOf('--network', 'testnet'), 'mintlayer-regtest-pos');
  assert.equal(databaseOf('--seed', 'x', '--postgres-database', 'mine'), 'mine');
  const long = [databaseOf('--seed', 'x'.repeat(80)), databaseOf('--seed', `${'x'.repeat(80)}y`)];
  assert.notEqual(long[0], long[1]);
  for (const name of [...long, databaseOf('--seed', '../ä"')]) assert.match(name, /^[\w.-]{1,63}$/);
});

test('up takes a real node, or a PostgreSQL of ones own', () => {
  const { source, database } = readUpConfig(
    ['--network', 'testnet', '--node-rpc-cookie-file', 'c', '--postgres-host', 'db', '--postgres-password', 'p'],
    {},
  );
  assert.ok(source.type === 'node');
  assert.equal(source.node.address, '127.0.0.1:13030');
  assert.deepEqual(source.settings, { 'node-rpc-cookie-file': 'c' });
  assert.deepEqual(database, { type: 'external', host: 'db', port: 5432, user: 'postgres', password: 'p' });
});

test('up refuses what does not fit together', () => {
  const cases: [string[], RegExp][] = [
    [['--node-rpc-address', '127.0.0.1:1'], /give its --network/],
    [['--network', 'testnet', '--replay', 'x'], /--replay is for the devnet, --network for a real node/],
    [['--network', 'testnet', '--block-interval', '5'], /--block-interval is for the devnet/],
    [['--upto', '5'], /give --replay, too/],
    [['--upto', '1000000000'], /must be a whole number from 1 to 999999999/],
    [['--reorg-probability', '1.5'], /must be a number from 0 to 1/],
    [['--start-time', 'yesterday'], /must be now, or a UTC time such as 2026-01-31T12:00:00Z/],
    [['--start-time', '2026-02-30T12:00:00Z'], /must be now, or a UTC time/],
    [['--start-time', '2026-01-31T12:00:00'], /must be now, or a UTC time/],
    [['--start-time', '2021-12-01T00:00Z'], /after the genesis of regtest-pos \(2021-12-20T04:44:20Z\)/],
    [['--postgres-user', 'u'], /give --postgres-host, too/],
    [['--postgres-password', 'u'], /give --postgres-host, too/],
  ];
  for (const [argv, pattern] of cases) assert.throws(() => readUpConfig(argv, {}), pattern);
  const ofSimulation = ['--preset=dense', '--seed=7', '--blocks=5', '--start-time=now', '--reorg-probability=0.5'];
  for (const [given, reason] of [
    ['--network=testnet', 'for the devnet, --network for a real node'],
    ['--replay=x', 'for a simulated chain, --replay for a recorded one'],
  ] as const) {
    assert.throws(() => readUpConfig([...ofSimulation, given], {}), {
      name: 'OperatorError',
      message: ['preset', 'seed', 'blocks', 'start-time', 'reorg-probability']
        .map((option) => `--${option} is ${reason}: give one.`)
        .join('\n'),
    });
    assert.throws(() => readUpConfig([given], { CHAIN_INDEXER_SEED: '1' }), /--seed is for/);
  }
});

/** What a program that ends because of an unknown option says, with these variables. */
function saidBy(program: string, env: Record<string, string>): string {
  const file = fileURLToPath(new URL(`../../bin/${program}.ts`, import.meta.url));
  const { stderr, status } = spawnSync(process.execPath, [file, '--nonsense'], { env: { ...process.env, ...env } });
  assert.equal(status, 2);
  return String(stderr).replace(`${program}: There is no option --nonsense. See --help.\n`, '');
}

test('a program warns of a misspelt variable, but not of one of another program with its prefix', () => {
  for (const [program, variable] of [
    ['web-server', 'ML_API_WEB_SRV_ENABLE_POST_ROUTE'],
    ['scanner', 'ML_API_SCANNER_DAEMON_POSTGRES_HOSTNAME'],
    ['up', 'CHAIN_INDEXER_DATADIR'],
  ] as const) {
    assert.equal(
      saidBy(program, { [variable]: 'secret', ML_API_WEB_SRV_EMPTY: '' }),
      `${program}: ${variable} is not an option and has no effect. See --help.\n`,
    );
  }
  const shared = {
    ML_API_SCANNER_DAEMON_RESYNC: '1',
    ML_API_SCANNER_DAEMON_NEW_DATABASE: 'x',
    ML_API_SCANNER_DAEMON_POSTGRES_HOST: 'db',
    CHAIN_INDEXER_DEVNET_RPC_PASSWORD: 'secret',
  };
  for (const program of ['scanner', 'upgrade', 'verify', 'up', 'web-server']) assert.equal(saidBy(program, shared), '');
});
