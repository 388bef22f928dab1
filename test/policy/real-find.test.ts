import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grammarOf } from './command-lines.ts';
import { findTool } from './scratch.ts';

const find = findTool('find');

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'clawrden-find-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Each option that takes a value takes one of them. */
const values = ['/dev/null', '1', 'f', 'root', 'posix-basic'];

/** What some would run has as many words as it likes; others stand before the places only, or end the line. */
const others = new Set(['-exec', '-execdir', '-ok', '-okdir', '-H', '-L', '-P', '-version']);

/** -help is an option of its own behind these words. */
function helps(words: readonly string[]): boolean {
  const { stdout } = spawnSync(find ?? '', ['/nonexistent', ...words, '-help'], { cwd, encoding: 'utf8' });
  return stdout.includes('Usage:');
}

function helpsBehind(name: string, count: number): boolean {
  return values.some((value) => helps([name, ...Array<string>(count).fill(value)]));
}

test.skipIf(find === undefined)(
  'A-352 each option of find takes as many words as its data says',
  { timeout: 120_000 },
  () => {
    const { options, twoValues } = grammarOf('find');
    const asked = [...options.values()].flatMap(({ names, value }) =>
      names.filter((name) => !others.has(name)).map((name) => ({ name, value })),
    );
    const counted = ({ name, value }: (typeof asked)[number]) =>
      value === 'none' ? 0 : twoValues?.has(name) === true ? 2 : 1;
    const strange = asked.filter((one) => !isAsSaid(one.name, counted(one))).map(({ name }) => name);
    expect(strange).toEqual([]);
    expect(asked.length).toBeGreaterThan(60);
  },
);

function isAsSaid(name: string, count: number): boolean {
  if (count === 0) return helps([name]);
  return helpsBehind(name, count) && !helpsBehind(name, count - 1);
}
