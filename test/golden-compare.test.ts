/** How the comparison with the recordings is called; what it compares needs recordings. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('golden-compare.ts', import.meta.url));

interface End {
  readonly status: number;
  readonly output: string;
}

function compare(args: readonly string[], env: Readonly<Record<string, string>>): Promise<End> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, ...args],
      { env: { ...process.env, ...env } },
      (_error, out, err) => resolve({ status: child.exitCode ?? -1, output: out + err }),
    );
  });
}

const nowhere = { RECORDINGS: fileURLToPath(new URL('no-such-folder', import.meta.url)) };

it('the comparison with the recordings fails when the folder that was named is not there, and says where it looked', async () => {
  const { status, output } = await compare([], nowhere);
  assert.match(output, /no recordings at .*no-such-folder: nothing is compared/);
  assert.equal(status, 1);
});

it('the comparison with the recordings explains itself, and takes no option for the name of a recording', async () => {
  const help = await compare(['--help'], nowhere);
  assert.match(help.output, /Usage: npm run golden/);
  assert.equal(help.status, 0);
  const typo = await compare(['--hepl'], nowhere);
  assert.match(typo.output, /there is no option --hepl/);
  assert.equal(typo.status, 2);
});
