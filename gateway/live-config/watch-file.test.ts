import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Take, watchFile } from './watch-file.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-watch-'));
  file = join(folder, 'gateway.yaml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function watched(path: string, answer: () => ReturnType<Take> = () => true) {
  const ended = new AbortController();
  const [found, faults]: [string[], string[]] = [[], []];
  const take: Take = (what) => {
    found.push('text' in what ? what.text : 'gone');
    return answer();
  };
  const report = (where: string) => void faults.push(where);
  const done = watchFile(path, take, { report }, ended.signal);
  return { found, faults, done, [Symbol.dispose]: () => ended.abort() };
}

test('a file is taken as it is at first; one that is written in pieces once, one that is replaced too, a neighbour never', async () => {
  await writeFile(file, 'a');
  using watching = watched(file);
  await expect.poll(() => watching.found).toEqual(['a']);
  for (const piece of ['b', 'bc', 'bcd']) {
    await writeFile(file, piece);
    await sleep(50);
  }
  await expect.poll(() => watching.found).toEqual(['a', 'bcd']);
  await writeFile(join(folder, 'new'), 'e');
  await rename(join(folder, 'new'), file);
  await expect.poll(() => watching.found).toEqual(['a', 'bcd', 'e']);
  await writeFile(join(folder, 'other'), 'f');
  await sleep(600);
  expect(watching.found).toHaveLength(3);
});

test('a file that comes, by a link that is turned round, and goes again', async () => {
  await mkdir(join(folder, 'one'));
  await symlink('one', join(folder, 'now'));
  using watching = watched(join(folder, 'now', 'gateway.yaml'));
  await writeFile(join(folder, 'one', 'gateway.yaml'), 'a');
  await expect.poll(() => watching.found.at(-1)).toBe('a');
  await mkdir(join(folder, 'two'));
  await writeFile(join(folder, 'two', 'gateway.yaml'), 'b');
  await symlink('two', join(folder, 'next'));
  await rename(join(folder, 'next'), join(folder, 'now'));
  await expect.poll(() => watching.found.at(-1)).toBe('b');
  await rm(join(folder, 'two'), { recursive: true });
  await expect.poll(() => watching.found.at(-1)).toBe('gone');
});

type Step = 'write' | 'pieces' | 'replace' | 'remove' | 'wait';

test('whatever happens to a file, what it says in the end is taken up last, and nothing that it never said', async () => {
  const step = fc.constantFrom<Step>('write', 'pieces', 'replace', 'remove', 'wait');
  const lives = fc.sample(fc.array(step, { minLength: 1, maxLength: 8 }), rounds);
  await Promise.all(lives.map((steps, number) => live(join(folder, `${number}.yaml`), steps)));
});

const rounds = process.env['CLAWRDEN_LONG'] === '1' ? 300 : 30;

async function live(path: string, steps: readonly Step[]): Promise<void> {
  using watching = watched(path);
  // Pieces of it may be left alone for a while on a busy machine.
  const said = new Set(['gone', '', 'b']);
  let last = 'gone';
  for (const [number, step] of steps.entries()) {
    // Long enough for the content to settle, so that steps after it are a change of their own.
    if (step === 'wait') await sleep(300);
    else if (step === 'remove') await rm(path, { force: true });
    else if (step === 'pieces') for (const piece of ['', 'b', `b${number}`]) await writeFile(path, piece);
    else await writeFile(step === 'replace' ? `${path}.new` : path, `b${number}`);
    if (step === 'replace') await rename(`${path}.new`, path);
    if (step !== 'wait') last = step === 'remove' ? 'gone' : `b${number}`;
    said.add(last);
  }
  await expect.poll(() => watching.found.at(-1)).toBe(last);
  expect(watching.found.filter((text) => !said.has(text))).toEqual([]);
}

test('what could not be taken up comes again, and a fault in taking it ends neither the watch nor the process', async () => {
  await writeFile(file, 'a');
  const answers = [false, false, true];
  using watching = watched(file, () => {
    const next = answers.shift();
    if (next === undefined) throw new Error('broken');
    return next;
  });
  await expect.poll(() => watching.found, { timeout: 5000 }).toEqual(['a', 'a', 'a']);
  await writeFile(file, 'b');
  await expect.poll(() => watching.faults).toEqual([`watching ${file}`]);
  await writeFile(file, 'c');
  await expect.poll(() => watching.found.slice(3)).toEqual(['b', 'c']);
});

test('one change is taken up before the next is looked at, and nothing is after the end', async () => {
  await writeFile(file, 'a');
  const slow = Promise.withResolvers<boolean>();
  const watching = watched(file, () => slow.promise);
  await expect.poll(() => watching.found).toEqual(['a']);
  await writeFile(file, 'b');
  // Longer than a change takes to be seen and to settle: it would be taken up by now.
  await sleep(700);
  expect(watching.found).toEqual(['a']);
  slow.resolve(true);
  await expect.poll(() => watching.found).toEqual(['a', 'b']);
  watching[Symbol.dispose]();
  await watching.done;
  await writeFile(file, 'c');
  // As above: a watch that went on would have found it.
  await sleep(600);
  expect(watching.found).toEqual(['a', 'b']);
});
