/** What a failed statement means for those who asked. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { classifyPgError } from '../../../src/store/read/store-error.ts';

/** An error as the server sends it. */
function ofServer(sqlState: string): Error {
  const error = new pg.DatabaseError('refused', 0, 'error');
  error.code = sqlState;
  return error;
}

/** An error of the socket, with the code that Node gives it. */
function ofSocket(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}

function judgements(errors: readonly Error[]) {
  return errors.map((error) => {
    const { kind, isRetryable } = classifyPgError(error);
    return `${kind}${isRetryable ? ', again' : ''}`;
  });
}

it('a failed statement is tried again when the connection was lost, whatever the socket calls it', () => {
  const lost = [ofSocket('EPIPE'), ofSocket('ECONNRESET'), ofSocket('ETIMEDOUT'), new Error('Connection terminated')];
  assert.deepEqual(
    judgements(lost),
    lost.map(() => 'unavailable, again'),
  );
});

it('a failed statement is tried again when the server stops, starts, is out of resources or cancels a reader of a replica', () => {
  const passing = ['57P01', '57P03', '08006', '53300', '40001', '0A000'].map(ofServer);
  assert.deepEqual(
    judgements(passing),
    passing.map(() => 'unavailable, again'),
  );
});

it('a failed statement took too long when it was cancelled', () => {
  assert.deepEqual(judgements([ofServer('57014')]), ['too slow']);
});

it('a failed statement came too early when there are no tables yet', () => {
  assert.deepEqual(judgements(['42P01', '42703', '3F000'].map(ofServer)), ['not ready', 'not ready', 'not ready']);
});

it('a failed statement was not allowed when the user has no right to the index', () => {
  assert.deepEqual(judgements([ofServer('42501')]), ['missing privileges']);
});

it('a failed statement is a mistake of ours otherwise', () => {
  assert.deepEqual(judgements(['22012', '42601', 'XX000'].map(ofServer)), ['fault', 'fault', 'fault']);
});
