/** What an operator is told of a PostgreSQL that cannot be used. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { it } from 'node:test';
import { freePort } from '../../../src/embedded/free-port.ts';
import { OperatorError } from '../../../src/errors/operator-error.ts';
import { createPostgresClient, type PostgresOptions } from '../../../src/store/postgres/connect.ts';
import {
  explainFinalPostgresError,
  PostgresBlockedError,
  PostgresUnreachableError,
  postgresErrorToThrow,
} from '../../../src/store/postgres/postgres-error.ts';

const OPTIONS: PostgresOptions = { host: '127.0.0.1', port: 5432, user: 'me', database: 'mine', maxConnections: 1 };

const withCode = (code: string, message = code): Error => Object.assign(new Error(message), { code });

async function failure(options: PostgresOptions): Promise<unknown> {
  const client = createPostgresClient(options, 'test');
  client.on('error', () => {});
  return client.connect().then(
    () => assert.fail('connected'),
    (error: unknown) => postgresErrorToThrow(error, options),
  );
}

it('a PostgreSQL that cannot be reached is waited for by a program that waits, and a matter of the operator otherwise', async () => {
  for (const host of ['127.0.0.1', 'localhost', '/nowhere']) {
    const options = { ...OPTIONS, host, port: await freePort() };
    const error = await failure(options);
    assert.ok(error instanceof PostgresUnreachableError, String(error));
    assert.equal(
      error.message,
      `PostgreSQL at ${host}:${options.port} is not reachable: nothing listens there. ` +
        'Is it running, and are --postgres-host and --postgres-port right?',
    );
    const told = explainFinalPostgresError(error.cause, options);
    assert.ok(told instanceof OperatorError);
    assert.equal(told.message, error.message);
  }
});

it('a PostgreSQL that cannot be reached may be one that starts, stops or breaks a connection off', () => {
  const errors = [
    withCode('57P03', 'the database system is starting up'),
    withCode('57P01', 'terminating connection due to administrator command'),
    withCode('ECONNRESET', 'read ECONNRESET'),
    withCode('ENOTFOUND', 'getaddrinfo ENOTFOUND db'),
    new Error('timeout expired'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    // A pooler that has no connection to its server.
    withCode('08P01', 'query_wait_timeout'),
  ];
  for (const error of errors) {
    const explained = postgresErrorToThrow(error, OPTIONS);
    assert.ok(explained instanceof PostgresUnreachableError, error.message);
    assert.match(explained.message, /^PostgreSQL at 127\.0\.0\.1:5432 is not reachable: .*[.?]$/);
  }
});

it('a PostgreSQL whose disk is full, or whose table is locked, is said to be blocked, in plain words', () => {
  const full = withCode('53100', 'could not extend file "base/1/2": No space left on device');
  const locked = withCode('55P03', 'canceling statement due to lock timeout');
  for (const [error, told] of [
    [full, `the disk of PostgreSQL at 127.0.0.1:5432 is full: ${full.message}`],
    [locked, `a table is locked by somebody else: ${locked.message}`],
  ] as const) {
    const explained = postgresErrorToThrow(error, OPTIONS);
    assert.ok(explained instanceof PostgresBlockedError, error.message);
    assert.equal(explained.message, told);
  }
});

it('a PostgreSQL that cannot be reached is a matter of the operator when the encryption cannot be had as it was asked for', () => {
  const distrusted = withCode('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain');
  const told = postgresErrorToThrow(distrusted, OPTIONS);
  assert.ok(told instanceof OperatorError);
  assert.equal(
    told.message,
    "PostgreSQL's certificate cannot be trusted: self-signed certificate in certificate chain. " +
      'Give its authority in NODE_EXTRA_CA_CERTS, or encrypt without a proof: PGSSLMODE=no-verify.',
  );
  for (const [code, remedy] of [
    ['ERR_TLS_CERT_ALTNAME_INVALID', /Give a name that the certificate has as --postgres-host/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
    ['CERT_HAS_EXPIRED', /Renew the certificate on the server/],
  ] as const) {
    const refused = postgresErrorToThrow(withCode(code), OPTIONS);
    assert.ok(refused instanceof OperatorError && remedy.test(refused.message), code);
  }
  const without = postgresErrorToThrow(new Error('The server does not support SSL connections'), OPTIONS);
  assert.equal((without as Error).message, 'PGSSLMODE asks for TLS, and PostgreSQL at 127.0.0.1 has none.');
});

it('a PostgreSQL that cannot be reached is a matter of the operator when a pooler does not know a setting', () => {
  const told = postgresErrorToThrow(withCode('08P01', 'unsupported startup parameter: options'), OPTIONS);
  assert.ok(told instanceof OperatorError);
  assert.equal(
    told.message,
    'the connection pooler at 127.0.0.1:5432 refuses us: unsupported startup parameter: options.',
  );
});

it('a connection asks for encryption when it must be encrypted, and sends nothing to a server that has none', async (t) => {
  const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes);
      if (bytes.equals(SSL_REQUEST)) socket.write('N');
      else socket.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const options = { ...OPTIONS, port: (server.address() as AddressInfo).port };
  for (const tls of ['verified', 'unverified'] as const)
    assert.match(
      String(await failure({ ...options, tls })),
      /PGSSLMODE asks for TLS, and PostgreSQL at 127\.0\.0\.1 has none/,
    );
  assert.deepEqual(received, [SSL_REQUEST, SSL_REQUEST]);
  await failure(options);
  assert.match(received.at(-1)!.toString(), /user\0me\0/);
});

it('a PostgreSQL that cannot be reached may be a replica that ends what takes long', () => {
  const error = withCode('40001', 'canceling statement due to conflict with recovery');
  const told = explainFinalPostgresError(error, OPTIONS);
  assert.ok(told instanceof OperatorError);
  assert.match(told.message, /^the replica at 127\.0\.0\.1 ended it: .* Set hot_standby_feedback = on there/);
});

it('a PostgreSQL that cannot be reached is not to blame for what is a mistake of ours', () => {
  for (const error of [withCode('ERR_INVALID_ARG_TYPE'), withCode('42703'), new TypeError('x is not a function')])
    assert.equal(postgresErrorToThrow(error, OPTIONS), error);
});
