import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newestReport } from './newest-report.ts';

test('A-322 P20: of many reports the first and the newest are taken, and at the end what waits', async () => {
  const taken: number[] = [];
  const reports = newestReport<number>((report) => void taken.push(report), 30);
  for (let count = 1; count <= 1000; count += 1) reports.hear(count);
  expect(taken).toEqual([1]);
  await expect.poll(() => taken).toEqual([1, 1000]);
  await sleep(60);
  reports.hear(1001);
  reports.hear(1002);
  reports.flush();
  expect(taken).toEqual([1, 1000, 1001, 1002]);
  reports.flush();
  await sleep(60);
  expect(taken).toHaveLength(4);
});
