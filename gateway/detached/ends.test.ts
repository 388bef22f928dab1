import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
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
