import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endSandboxes, makeSandboxFolder, markSandbox } from '../../../sandbox-mark.ts';
import { watchHalt } from './watch-halt.ts';

test('A-595 P19: a sandbox ends if its mark is taken away, though nothing else can be written', async () => {
  const state = mkdtempSync(join(tmpdir(), 'clawrden-mark-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  for (const agent of ['coder', 'other']) {
    await makeSandboxFolder({ state }, agent);
    await markSandbox({ state }, agent);
  }
  using coder = watchHalt('coder', state);
  using other = watchHalt('other', state);
  // It looks once a second: long enough for a look that must find nothing.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect([coder.signal.aborted, other.signal.aborted]).toEqual([false, false]);
  await endSandboxes({ state }, ['coder']);
  await expect.poll(() => coder.signal.aborted, { timeout: 5000 }).toBe(true);
  expect(other.signal.aborted).toBe(false);
});
