/** Exports in a spreadsheet program: LibreOffice opens them without options, and sums the amounts. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { destinationAddress } from '../../../src/chain/address.ts';
import type { Destination } from '../../../src/chain/types.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { TestServer } from '../../support/web-server.ts';

const skip =
  spawnSync('soffice', ['--version']).error !== undefined &&
  'LibreOffice is not installed (apt-get install libreoffice-calc-nogui)';

chain.serveSimulatedChain();

/** What a spreadsheet knows of a cell: its type, and its value as a number if it has one. */
interface Cell {
  readonly type: string;
  readonly value: number;
  readonly text: string;
}

/** The owner with most changes. */
function busyOwner(): Destination {
  const counts = new Map<Destination, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
}

/** Opens a file with the usual settings of a country, and gives the cells of its rows. */
async function opened(home: string, csv: string, filter: readonly string[]): Promise<Cell[][]> {
  await writeFile(join(home, 'history.csv'), csv);
  const profile = `-env:UserInstallation=file://${join(home, 'profile')}`;
  const convert = ['--headless', ...filter, '--convert-to', 'fods', '--outdir', home, join(home, 'history.csv')];
  await promisify(execFile)('soffice', [profile, ...convert], { env: { ...process.env, HOME: home } });
  const text = await readFile(join(home, 'history.fods'), 'utf8');
  const [sheet] = /<table:table [\s\S]*?<\/table:table>/.exec(text)!;
  return Array.from(sheet.matchAll(/<table:table-row [^>]*>([\s\S]*?)<\/table:table-row>/g), ([, row]) =>
    Array.from(row!.matchAll(/<table:table-cell([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g)).flatMap(
      ([, attributes, content = '']) => {
        const named = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes!)?.[1];
        const cell = {
          type: named('office:value-type') ?? '',
          value: Number(named('office:value')),
          text: content.replace(/<[^>]*>/g, '').trim(),
        };
        return Array.from({ length: Number(named('table:number-columns-repeated') ?? 1) }, () => cell);
      },
    ),
  );
}

for (const [country, query, filter, time] of [
  // Without options LibreOffice takes times for texts: its box "Detect special numbers" is not ticked. Excel needs no such.
  ['no country', 'format=csv', [], 'string'],
  // Separator, quotation mark, UTF-8, first line, no formats of columns, language, and that box.
  ['the United States', 'format=csv', ['--infilter=CSV:44,34,76,1,,1033,false,true'], 'date'],
  ['Germany', 'format=csv&decimal=%2C', ['--infilter=CSV:59,34,76,1,,1031,false,true'], 'date'],
] as const) {
  it(`an export has numbers and times in a spreadsheet of ${country}, which add up to the balance`, {
    skip,
  }, async (t) => {
    const home = await temporaryDirectory(t);
    const server = chain.servers[0] as TestServer;
    const address = destinationAddress(chain.network, busyOwner());
    const path = `/address/${address}/history?currency=${chain.network.coinTicker}`;
    const items = (await server.pages(`${path}&items=100`)).flat();
    const { text } = await server.get(`${path}&${query}`);
    const [names, ...rows] = (await opened(home, text, filter)) as [Cell[], ...Cell[][]];
    const column = (name: string) => {
      const at = names.findIndex((cell) => cell.text === name);
      return rows.slice(0, items.length).map((row) => row[at]!);
    };
    assert.equal(column('height').filter(({ type }) => type === 'float').length, items.length);
    for (const name of ['change', 'fee', 'balance', 'locked']) {
      assert.deepEqual(new Set(column(name).map(({ type }) => type)), new Set(['float']), name);
      const sum = column(name).reduce((all, { value }) => all + value, 0);
      const wanted = items.reduce((all, row) => all + Number(row[name].decimal), 0);
      assert.ok(Math.abs(sum - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${name}: ${sum}, not ${wanted}`);
    }
    assert.deepEqual(new Set(column('time_utc').map(({ type }) => type)), new Set([time]));
    const changes = column('change').reduce((all, { value }) => all + value, 0);
    const last = column('balance')[0]!.value;
    assert.ok(Math.abs(changes - last) <= 1e-9 * Math.max(1, last), `${changes}, not ${last}`);
  });
}
