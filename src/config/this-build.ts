/** Which build this is: the version, raised with each release, and the commit, which differs between all builds. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Build {
  readonly version: string;
  /** 40 hex digits, with `-dirty` behind them if files were changed; null if it is unknown: no clone, or no `git`. */
  readonly commit: string | null;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let build: Build | undefined;

/** The package says its commit in its package.json (`bin/build.mjs`); in a clone `git` knows it. */
export function thisBuild(): Build {
  if (build !== undefined) return build;
  const { version, commit } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
    version: string;
    commit?: string | null;
  };
  build = { version, commit: commit === undefined ? commitOfClone() : commit };
  return build;
}

/** The labels of the metric `build_info`. */
export function buildLabels(storageVersion: string) {
  const { version, commit } = thisBuild();
  return { version, commit: commit ?? 'unknown', storage_version: storageVersion };
}

/** For `--version`: `0.2.0 (5a896b84…)`. */
export function buildText(): string {
  const { version, commit } = thisBuild();
  return commit === null ? version : `${version} (${commit})`;
}

function commitOfClone(): string | null {
  // Sources without a history may lie in a clone of something else.
  if (!existsSync(`${ROOT}.git`)) return null;
  // The clone may belong to another user than the one who starts the program.
  const args = ['-c', 'safe.directory=*', 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : null;
}
