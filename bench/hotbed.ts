// Starts a synced web server and leaves it: prints port and pid.
import { Bed } from './test-bed.ts';
import { readChain, simulatedChainFile } from './chain.ts';
import { syncChain } from './sync.ts';
const bed = await Bed.open({ checkout: process.env.CHECKOUT, profileDir: process.env.PROFILE });
const file = await simulatedChainFile('mainnet', '1', 1000, () => {});
const chain = await readChain(file, bed.directory, 100);
const synced = await syncChain(bed, chain, { database: 'bulk', limits: false });
const devnet = await bed.startDevnet([`--replay=${chain.file}`, '--upto=2']);
const s = { network: chain.networkArgument, node: devnet.address, postgres: synced.postgres };
const server = await bed.startWebServer(s);
const cold = await bed.startWebServer({ ...s, program: 'uncached-web-server' });
process.stdout.write(JSON.stringify({ port: server.port, pid: server.program.pid, cold: cold.port, coldPid: cold.program.pid }) + '\n');
process.on('SIGTERM', () => void bed.close().then(() => process.exit(0)));
setInterval(() => {}, 1000);
