/** A node behind a proxy with TLS, a path and a header of its own. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Proxied {
  /** `https://localhost:PORT/rpc` */
  readonly address: string;
  /** The certificate, its own authority. */
  readonly authority: string;
  readonly directory: string;
  /** The values of the header `authorization` that came. */
  readonly seen: Set<string | undefined>;
}

/** A TLS proxy that passes on what comes to `/rpc` with this header. */
async function proxied(t: TestContext, node: ScriptedNode, header: string): Promise<Proxied> {
  const directory = await temporaryDirectory(t);
  const [key, authority] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject];
  execFileSync('openssl', [...args, '-keyout', key, '-out', authority], { stdio: 'ignore' });
  const seen = new Set<string | undefined>();
  const [host, port] = node.address.split(':');
  const server: Server = createServer({ key: readFileSync(key), cert: readFileSync(authority) });
  const isPassed = (url: string | undefined, authorization: string | undefined) => {
    seen.add(authorization);
    return url === '/rpc' && authorization === header;
  };
  server.on('request', async (request, response) => {
    if (!isPassed(request.url, request.headers.authorization)) return void response.writeHead(401).end();
    const body = await Array.fromAsync(request);
    const answer = await fetch(`http://${node.address}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(body),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  server.on('upgrade', (request, socket, head) => {
    if (!isPassed(request.url, request.headers.authorization))
      return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    const upstream = connect(Number(port), host);
    const headers = Object.entries(request.headers).filter(([name]) => name !== 'authorization');
    upstream.write(`GET / HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on('error', () => each.destroy());
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = `https://localhost:${(server.address() as AddressInfo).port}/rpc`;
  return { address, authority, directory, seen };
}

/** What a client in a process of its own says: it reads NODE_EXTRA_CA_CERTS at its start. */
async function ask(address: string, file: string, authority?: string): Promise<string> {
  const program = `
    import { NodeClient } from '${ROOT}src/node/client.ts';
    import { NodeTipEvents } from '${ROOT}src/node/tip-events.ts';
    const client = new NodeClient({ address: process.argv[1], auth: { type: 'header', file: process.argv[2] } });
    try {
      console.log('height', (await client.chainInfo()).bestBlock.height);
      const events = new NodeTipEvents(client, { pollMs: 60_000, safetyPollMs: 60_000 });
      for (const end = Date.now() + 20_000; !events.connected && Date.now() < end; ) await new Promise((r) => setTimeout(r, 10));
      console.log('events', events.connected);
      await events.close();
    } catch (error) {
      console.log('error', error.kind, error.message);
    }
    client.close();
    process.exit();`;
  const env = { ...process.env, ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }) };
  const args = ['--input-type=module', '--eval', program, address, file];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

it('a node behind TLS is asked at its path with its header, its certificate is checked, and its events come', {
  skip: !hasOpenssl && 'there is no openssl',
}, async (t) => {
  const chain = lightChain(20, 12);
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.add(chain);
  node.setTip(chain.at(-1)!.id);
  const { address, authority, directory, seen } = await proxied(t, node, 'Bearer a-token');
  const file = join(directory, 'header');
  await writeFile(file, 'Bearer a-token\n');
  assert.equal(await ask(address, file, authority), 'height 20\nevents true\n');
  assert.deepEqual([...seen], ['Bearer a-token']);

  assert.match(
    await ask(address, file),
    /^error unreachable .*certificate of an unknown authority.*NODE_EXTRA_CA_CERTS/,
  );

  await writeFile(file, 'Bearer another');
  const refused = await ask(address, file, authority);
  assert.match(refused, /^error unauthorized .*refused the header in .*--node-rpc-authorization-file/);
  assert.doesNotMatch(refused, /another/, 'the secret is not told');
  await writeFile(file, 'two\nlines');
  assert.match(await ask(address, file, authority), /^error unauthorized .*expected one line/);
});
