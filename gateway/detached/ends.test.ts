import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ExecutionResult } from '../ports/detached.ts';
import { createEnds } from './ends.ts';

const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
const stdout = { bytes: Buffer.alloc(1000), truncated: false };
const result = {
  outcome: { kind: 'exited', code: 0, signal: 0 } as const,
  ...{ planHash: 'h', host: '', container: '', wasStarted: true, stdout, stderr: stdout },
};

test('A-518: results that wait for a full disk are bounded: then nothing is started, and those are still known', async () => {
  const rows = { end: () => Promise.reject(full) };
  const ends = createEnds({ rows, faults: { report: () => {} }, log: { warn: () => {} } }, 4900);
  for (const id of ['e-1', 'e-2']) ends.keep('program:ci', id, result);
  expect(ends.checkRoom).not.toThrow();
  await setImmediate();
  expect(ends.checkRoom).toThrow('results cannot be written: database or disk is full');
  expect(ends.find('program:ci', 'e-1')).toBe(result);
  await ends.close();
});

test('A-526: a result that cannot be written for a reason that nobody foresaw is told once, also behind a full disk, and tried ever less', async () => {
  const tries: string[] = [];
  const reported: unknown[] = [];
  let isFull = true;
  const end = async (_caller: string, id: string) => {
    tries.push(id);
    if (isFull) throw full;
    if (id === 'odd') throw new Error('what is this?');
  };
  const report = (...fault: unknown[]) => void reported.push(fault);
  const ends = createEnds({ rows: { end }, faults: { report }, log: { warn: () => {} } });
  for (const id of ['odd', 'e-1']) ends.keep('program:ci', id, result);
  await setImmediate();
  expect(tries).toEqual(['odd']);
  isFull = false;
  await expect.poll(() => ends.find('program:ci', 'e-1'), { timeout: 3000 }).toBeUndefined();
  await setTimeout(1500);
  expect([tries, reported]).toEqual([['odd', 'odd', 'e-1'], [['a result', expect.any(Error)]]]);
  // Its caller has it all the same.
  expect(ends.find('program:ci', 'odd')).toBe(result);
  await ends.close();
  expect([tries.length, reported.length]).toEqual([4, 1]);
});

test('A-526: of what ends while too much waits the outcome is kept, and not its output', async () => {
  const written: ExecutionResult[] = [];
  let isFull = true;
  const end = async (_caller: string, _id: string, each: ExecutionResult) => {
    if (isFull) throw full;
    written.push(each);
  };
  const ends = createEnds({ rows: { end }, faults: { report: () => {} }, log: { warn: () => {} } }, 6000);
  // Three are there before anybody knows of the disk.
  for (const id of ['e-1', 'e-2', 'e-3']) ends.keep('program:ci', id, result);
  await setImmediate();
  const lost = { bytes: Buffer.alloc(0), truncated: true };
  expect(ends.find('program:ci', 'e-3')).toEqual({ ...result, stdout: lost, stderr: lost });
  ends.keep('program:ci', 'e-4', { ...result, stderr: { bytes: Buffer.alloc(0), truncated: false } });
  const kept = [
    ...[result, result, { ...result, stdout: lost, stderr: lost }],
    { ...result, stdout: lost, stderr: { ...lost, truncated: false } },
  ];
  expect(['e-1', 'e-2', 'e-3', 'e-4'].map((id) => ends.find('program:ci', id))).toEqual(kept);
  expect(ends.checkRoom).toThrow('results cannot be written');
  isFull = false;
  await ends.close();
  expect(written).toEqual(kept);
});
