/** What a failed statement means for those who asked. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { classifyPgError } from '../../../src/store/read/store-error.ts';

/** An error as the server sends it. */
function ofServer(sqlState: string, message = 'refused'): Error {
  const error = new pg.DatabaseError(message, 0, 'error');
  error.code = sqlState;
  return error;
}

/** An error of the socket, with the code that Node gives it. */
function ofSocket(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}

for (const [title, errors, judgement] of [
  [
    'is tried again when the connection was lost, whatever the socket calls it',
    [...['EPIPE', 'ECONNRESET', 'ETIMEDOUT'].map(ofSocket), new Error('Connection terminated')],
    'unavailable, again',
  ],
  [
    'is tried again when the server stops, starts, is out of resources or cancels a reader of a replica',
    ['57P01', '57P03', '08006', '53300', '40001', '0A000'].map((sqlState) => ofServer(sqlState)),
    'unavailable, again',
  ],
  [
    'is tried again when a replica cancelled it, with whichever SQLSTATE',
    ['40001', '57014', '57P01'].map((sqlState) =>
      ofServer(sqlState, 'canceling statement due to conflict with recovery'),
    ),
    'unavailable, again',
  ],
  ['took too long when it was cancelled', [ofServer('57014')], 'too slow'],
  [
    'came too early when there are no tables yet',
    ['42P01', '42703', '3F000'].map((sqlState) => ofServer(sqlState)),
    'not ready',
  ],
  ['was not allowed when the user has no right to the index', [ofServer('42501')], 'missing privileges'],
  ['is a mistake of ours otherwise', ['22012', '42601', 'XX000'].map((sqlState) => ofServer(sqlState)), 'fault'],
] as const) {
  it(`a failed statement ${title}`, () => {
    for (const error of errors) {
      const { kind, isRetryable } = classifyPgError(error);
      assert.equal(`${kind}${isRetryable ? ', again' : ''}`, judgement, String(error));
    }
  });
}
