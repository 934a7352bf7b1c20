/** The telling of the past: read once for all who ask for the same, and not ahead of who does not take it. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DESCRIBED } from '../../../src/api/response-profile/described.ts';
import { parseEventFilter } from '../../../src/api/stream/event-filter.ts';
import type { StreamResponse } from '../../../src/api/stream/stream-client.ts';
import { Streams, type StreamsOptions } from '../../../src/api/stream/streams.ts';
import { networkByName } from '../../../src/chain/networks/known.ts';
import type { ChainBlockRow } from '../../../src/store/queries/branches.ts';
import { until } from '../../support/until.ts';
import { SILENT } from '../../support/web-server.ts';

const network = networkByName('regtest');
const idOf = (height: number) => height.toString(16).padStart(64, '0');
const HEIGHT = 200;
/** Of a block, each with transactions of some kB. */
const TX_IDS = Array.from({ length: 100 }, (_, i) => `"${idOf(i)}"`).join(',');

class SlowResponse extends EventEmitter {
  bytes = 0;
  text = '';
  takes = true;

  write(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    this.text += chunk;
    return this.takes;
  }

  cork(): void {}
  uncork(): void {}
  end(): void {}
  destroy(): void {}
}

/** A chain of blocks behind a store that counts how often it is asked. */
function start(t: TestContext) {
  let asked = 0;
  const tip = { height: HEIGHT, id: idOf(HEIGHT), revision: 1, isReady: true, genesisId: network.genesisId };
  const query = async (query: { readonly name: string }, height: number, _id: string, mostBlocks: number) => {
    assert.equal(query.name, 'blocks_after');
    asked++;
    await sleep(5);
    const count = Math.min(mostBlocks, HEIGHT - height);
    const rows = Array.from({ length: count }, (_, i): ChainBlockRow => {
      return { height: height + 1 + i, block_id: idOf(height + 1 + i), timestamp: 0, tx_ids: TX_IDS };
    });
    return { tip, rows };
  };
  const tipWatch = { tip, onChange() {}, pollNow() {}, noteRequest() {} };
  const streams = new Streams({
    network,
    store: { query },
    tipWatch,
    pending: null,
    logger: SILENT,
    profile: DESCRIBED,
    limits: { maxSubscribers: 1_000, maxSubscribersPerClient: 1_000 },
  } as unknown as StreamsOptions);
  const responses: SlowResponse[] = [];
  t.after(() => {
    for (const response of responses) response.emit('close');
  });
  const comeBack = (height: number, takes = true) => {
    const response = new SlowResponse();
    response.takes = takes;
    responses.push(response);
    const client = streams.hub.add(
      response as unknown as StreamResponse,
      '127.0.0.1',
      parseEventFilter(network, DESCRIBED, { types: 'block' }),
    );
    void streams.missedEvents.resume(client, { height, id: idOf(height) });
    return response;
  };
  return { comeBack, asked: () => asked };
}

const isWhole = ({ text }: SlowResponse) => text.includes(`id: ${HEIGHT}-${idOf(HEIGHT)}\n`);

describe('what clients missed', () => {
  it('what clients missed is read once for all who come back with the same block', async (t) => {
    const { comeBack, asked } = start(t);
    const alone = comeBack(10);
    await until(() => isWhole(alone), 'all blocks');
    const forOne = asked();
    assert.ok(forOne >= 2, `${forOne}`);
    const many = Array.from({ length: 50 }, () => comeBack(20));
    await until(() => many.every(isWhole), 'all blocks of all');
    assert.ok(asked() - forOne <= forOne, `${asked() - forOne} for fifty, ${forOne} for one`);
    assert.ok(many.every(({ text }) => text === many[0]!.text));
  });

  it('what clients missed is not read ahead of a client that does not take it, and goes on when it does', async (t) => {
    const { comeBack, asked } = start(t);
    const slow = comeBack(10, false);
    await until(() => slow.bytes > 0, 'the first part');
    await sleep(100);
    const [read, sent] = [asked(), slow.bytes];
    assert.equal(read, 1);
    await sleep(100);
    assert.deepEqual([asked(), slow.bytes], [read, sent]);
    slow.takes = true;
    slow.emit('drain');
    await until(() => isWhole(slow), 'the rest');
    assert.equal(slow.text.match(/event: block\n/g)?.length, HEIGHT - 10);
  });
});
