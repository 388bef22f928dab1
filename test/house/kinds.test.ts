import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inFull, slowFiles } from '../run/slow-files.ts';
import { slowUnitFiles } from '../run/slow-unit-files.ts';
import { leftOut, sampledOnly, turns } from '../run/turns.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The files that a run takes which leaves `out` to others. */
async function taken(out: readonly string[]): Promise<string[]> {
  const env = { ...process.env, CLAWRDEN_LEFT_OUT: out.join(' ') };
  const { stdout } = await run('vitest', ['list', '--filesOnly', '--json'], {
    cwd: root,
    env,
    maxBuffer: 1 << 24,
  });
  const listed = JSON.parse(stdout) as { file: string }[];
  return listed.map(({ file }) => file.slice(root.length + 1)).toSorted();
}

it('every test file runs, as a test of one kind', { timeout: 60_000 }, async () => {
  const { stdout } = await run('git', ['ls-files', '*.test.ts'], { cwd: root });
  const files = stdout.trim().split('\n').toSorted();
  expect(await taken([])).toEqual(files);
  expect(slowFiles.filter((file) => !files.includes(file))).toEqual([]);
  expect([...inFull, ...slowUnitFiles].filter((file) => !files.includes(file))).toEqual([]);
});

it('each slow file has two turns, and a turn leaves out nothing else', { timeout: 60_000 }, async () => {
  const each = Array.from({ length: turns }, (_, turn) => new Set(leftOut(turn)));
  const counts = slowFiles.map((file) => each.filter((out) => out.has(file)).length);
  expect(new Set(counts)).toEqual(new Set([turns - 2]));
  const out = leftOut(1);
  const files = await taken([]);
  expect(await taken(out)).toEqual(files.filter((file) => !out.includes(file)));
});

it('each file with large counts has one turn in full', () => {
  const each = Array.from({ length: turns }, (_, turn) => new Set(sampledOnly(turn)));
  const counts = inFull.map((file) => each.filter((sampled) => sampled.has(file)).length);
  expect(new Set(counts)).toEqual(new Set([turns - 1]));
});
