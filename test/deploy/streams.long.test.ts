/** Streams of events through the proxies of deploy, with the settings of deploy. */
import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { installedProxies, type ProxyName, type ProxyOptions, startProxy } from '../package/proxies.ts';
import { seesTip } from '../sim/patient-answers.ts';
import { EventStream, type ListenOptions } from '../support/event-stream.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { lightChain, SIMULATED_NETWORK as network } from '../support/simulated-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const chain = lightChain(12, 'proxied').map(({ bytes }) => identifyBlock(bytes));
const BLOCKS_BEFORE = 6;

/** Everything that is said in minutes is said in seconds, on both sides. */
const KEEPALIVE_MS = 1_000;
const inSeconds = (configuration: string) =>
  configuration.replaceAll(/(proxy_read_timeout|timeout client|timeout server) (\d+)s/g, (_, name, seconds) => {
    return `${name} ${Math.ceil((Number(seconds) * KEEPALIVE_MS) / 30_000)}s`;
  });

interface Installation {
  readonly index: TestIndex;
  readonly servers: readonly TestServer[];
  readonly listen: (options?: Omit<ListenOptions, 'port'>) => Promise<EventStream>;
}

async function install(
  t: TestContext,
  proxy: ProxyName,
  { change, keepaliveMs = KEEPALIVE_MS }: { change?: ProxyOptions['change']; keepaliveMs?: number } = {},
): Promise<Installation> {
  const home = await temporaryDirectory(t);
  await chmod(home, 0o755);
  const index = await TestIndex.create(t, network);
  await index.follow(chain.slice(0, BLOCKS_BEFORE), BLOCKS_BEFORE);
  const common = { network, postgres: index.postgres, trustedProxies: 1, streams: { keepaliveMs } };
  const servers = [await startTestWebServer(t, common), await startTestWebServer(t, common)];
  for (const server of servers) await seesTip(server, chain[BLOCKS_BEFORE - 1]!.id);
  const ports = servers.map((server) => server.port);
  const port = await startProxy(t, proxy, { home, ports, ...(change === undefined ? {} : { change }) });
  const listen = (options: Omit<ListenOptions, 'port'> = {}) => EventStream.during(t, { port, ...options });
  return { index, servers, listen };
}

const idOf = (height: number) => `${height}-${chain[height - 1]!.id}`;
const sees = (stream: EventStream, height: number) =>
  stream.sees(`block ${height}`, ({ data }) => data.content.height === height);

for (const proxy of ['haproxy', 'nginx'] as const) {
  const skip = !installedProxies.includes(proxy) && `${proxy} is not installed (apt-get install ${proxy})`;
  describe(`streams through ${proxy}`, { skip }, () => {
    it(`streams through ${proxy} have each event at once, as it was sent, and go on where they were`, async (t) => {
      const { index, servers, listen } = await install(t, proxy, { keepaliveMs: 30_000 });
      // A browser asks for compression and keeps its address for itself.
      const stream = await listen({ headers: { 'accept-encoding': 'gzip, br' } });
      const direct = await EventStream.during(t, { port: servers[0]!.port });
      assert.equal(stream.status, 200);
      assert.equal(stream.headers['content-type'], 'text/event-stream');
      assert.equal(stream.headers['content-encoding'], undefined);
      for (const each of [stream, direct]) await until(() => each.position === idOf(BLOCKS_BEFORE), 'the beginning');
      for (let height = BLOCKS_BEFORE + 1; height <= BLOCKS_BEFORE + 4; height++) {
        await index.follow([chain[height - 1]!]);
        await sees(direct, height);
        const directAt = performance.now();
        // Nothing follows that would push it through a buffer.
        await sees(stream, height);
        assert.ok(
          performance.now() - directAt < 10_000,
          `${performance.now() - directAt} ms later than without a proxy`,
        );
      }
      assert.equal(stream.text, direct.text);

      stream.close();
      const again = await listen({ lastEventId: idOf(3) });
      await sees(again, BLOCKS_BEFORE + 4);
      const ids = again.events.map(({ id }) => id);
      assert.deepEqual(ids, [4, 5, 6, 7, 8, 9, 10].map(idOf));
    });

    it(`streams through ${proxy} stay open while nothing happens, by the comments alone`, async (t) => {
      const { index, listen } = await install(t, proxy, { change: inSeconds });
      const stream = await listen();
      // Longer than twice the patience of the proxy.
      await sleep(8 * KEEPALIVE_MS);
      await until(() => stream.comments.length >= 4, 'comments');
      assert.equal(stream.isEnded, false);
      await index.follow([chain[BLOCKS_BEFORE]!]);
      await sees(stream, BLOCKS_BEFORE + 1);
      // The same proxy cuts a stream that says nothing.
      const silent = await install(t, proxy, { change: inSeconds, keepaliveMs: 60_000 });
      const cut = await silent.listen();
      await until(() => cut.isEnded, 'the end of a silent stream');
    });

    it(`streams through ${proxy} may be many, so many for each client’s address, all told of a block`, async (t) => {
      const { index, listen } = await install(t, proxy);
      const streams: EventStream[] = [];
      for (let client = 1; client <= 15; client++) {
        const localAddress = `127.0.1.${client}`;
        streams.push(...(await Promise.all(Array.from({ length: 10 }, () => listen({ localAddress })))));
      }
      const refused = streams.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`);
      assert.deepEqual(refused, []);
      await index.follow([chain[BLOCKS_BEFORE]!]);
      await Promise.all(streams.map((stream) => sees(stream, BLOCKS_BEFORE + 1)));
    });

    it(`streams through ${proxy} end in good order when their server stops, and go on at the other one`, async (t) => {
      const { index, servers, listen } = await install(t, proxy);
      const streams = await Promise.all(Array.from({ length: 8 }, () => listen()));
      await index.follow([chain[BLOCKS_BEFORE]!]);
      await Promise.all(streams.map((stream) => sees(stream, BLOCKS_BEFORE + 1)));
      const direct = await Promise.all(servers.map(({ port }) => EventStream.open({ port })));
      for (const each of direct) t.after(() => each.close());
      // One that serves some of them: nginx keeps the clients of an address together.
      const [stopped] = proxy === 'nginx' ? [await busier(servers)] : servers;
      await stopped!.stop();
      await until(() => streams.some(({ isEnded }) => isEnded), 'the end of some');
      await sleep(200);
      const ended = streams.filter(({ isEnded }) => isEnded);
      const areComplete = ended.every(({ isComplete }) => isComplete);
      assert.ok(areComplete, 'ended, not broken off');
      await index.follow([chain[BLOCKS_BEFORE + 1]!]);
      for (const { lastEventId } of ended) {
        let again: EventStream | undefined;
        const isBack = async () => {
          again = await listen({ lastEventId });
          return again.status === 200;
        };
        await until(isBack, 'the other server');
        await sees(again!, BLOCKS_BEFORE + 2);
        const ids = again!.events.map(({ id }) => id);
        assert.deepEqual(ids, [idOf(BLOCKS_BEFORE + 2)]);
      }
      for (const stream of streams) if (!ended.includes(stream)) await sees(stream, BLOCKS_BEFORE + 2);
    });
  });
}

/** The server that has more streams. */
async function busier(servers: readonly TestServer[]): Promise<TestServer> {
  const open = await Promise.all(
    servers.map(async (server) => {
      const { text } = await server.request('/metrics');
      return Number(/^chain_indexer_streams_open (\d+)/m.exec(text)?.[1] ?? 0);
    }),
  );
  return open[0]! >= open[1]! ? servers[0]! : servers[1]!;
}
