/** The rows of results are taken off a connection, whatever the chunks are in which its bytes arrive. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { splitMessages } from '../../../src/store/read/data-rows.ts';

interface Message {
  readonly type: string;
  readonly body: Uint8Array;
}

const MESSAGE = fc.record({
  type: fc.constantFrom('D', 'D', 'T', 'C', 'Z', '2'),
  body: fc.uint8Array({ maxLength: 40 }),
});

function encoded({ type, body }: Message): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

describe('the messages of a connection', () => {
  it('are handed on whole and in their order, rows to one side and all others to the other', () => {
    fc.assert(
      fc.property(fc.array(MESSAGE), fc.array(fc.integer({ min: 1, max: 60 })), (messages, sizes) => {
        const rest = messages.map(encoded);
        const handed: string[] = [];
        const split = splitMessages(
          (bytes, offset) => {
            const length = bytes.readUInt32BE(offset - 4) - 4;
            handed.push(`row ${bytes.toString('hex', offset, offset + length)}`);
          },
          (bytes) => handed.push(`other ${bytes.toString('hex')}`),
        );
        const bytes = Buffer.concat(rest);
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          split(Buffer.from(bytes.subarray(at, at + size)));
          at = Math.min(at + size, bytes.length);
        }
        const expected = messages.map(({ type, body }, i) =>
          type === 'D' ? `row ${Buffer.from(body).toString('hex')}` : `other ${rest[i]!.toString('hex')}`,
        );
        assert.equal(joined(handed), joined(expected));
      }),
    );
  });

  it('may be longer than many chunks', () => {
    const body = Buffer.alloc(1_000_000, 7);
    const bytes = Buffer.concat([encoded({ type: 'D', body }), encoded({ type: 'Z', body: Buffer.from('I') })]);
    const handed: number[] = [];
    const split = splitMessages(
      (whole, offset) => handed.push(whole.subarray(offset, offset + body.length).compare(body)),
      (other) => handed.push(other.length),
    );
    for (let at = 0; at < bytes.length; at += 1_000) split(bytes.subarray(at, at + 1_000));
    assert.deepEqual(handed, [0, 6]);
  });
});

/** Other messages may come one by one or several together. */
function joined(handed: readonly string[]): string {
  return handed.join('\n').replaceAll(/(?<=other [0-9a-f]*)\nother /g, '');
}
