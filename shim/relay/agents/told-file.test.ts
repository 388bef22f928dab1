import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createToldFile } from './told-file.ts';

let dir: string;
let logged: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-told-'));
  logged = [];
});
afterEach(() => rmSync(dir, { recursive: true }));

const open = (state = dir) => createToldFile(state, pino({}, { write: (line) => void logged.push(line) }));
const coder = { name: 'coder', users: [{ uid: 1000, gid: 100 }] as [{ uid: number; gid: number }] };

test('what was written is read again, and nothing if nothing was', async () => {
  expect(await open().read()).toEqual([]);
  const all = [coder, { ...coder, name: 'other', halt: 'killed' as const }];
  await open().write(all);
  expect(await open().read()).toEqual(all);
  expect(logged).toEqual([]);
});

test('a file that was cut anywhere is told in one line, and holds no agent', async () => {
  await open().write([coder]);
  const whole = readFileSync(join(dir, 'agents.json'), 'utf8').trimEnd();
  for (let length = 0; length < whole.length; length += 1) {
    logged = [];
    writeFileSync(join(dir, 'agents.json'), whole.slice(0, length));
    expect(await open().read()).toEqual([]);
    expect(logged).toHaveLength(1);
  }
});

test('a folder that cannot be written is told, and ends nothing', async () => {
  await open(join(dir, 'nowhere')).write([coder]);
  expect(logged.join()).toContain('the agents cannot be kept for the next start');
});
