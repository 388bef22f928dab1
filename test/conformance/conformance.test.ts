import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Bench, startBench } from './bench.ts';
import type { Case } from './case.ts';
import { allCases } from './cases/all.ts';
import { conform } from './conform.ts';
import { describeDifferences } from './report.ts';
import { modes, sampleOf, seed } from './suite.ts';

const workers = 4;
const canary: Case = { name: 'canary', argv: ['hostname'] };
/** Alike on both sides, but for a bad reason. */
const hollow: readonly (Case & { readonly why: string })[] = [
  { name: 'hollow-text', argv: ['true'], steps: [{ until: 'ready' }], why: 'it never said "ready"' },
  { name: 'hollow-time', argv: ['sleep', '60'], timeoutMs: 1000, why: 'still running at the deadline' },
  {
    name: 'hollow-signal',
    argv: ['true'],
    steps: [{ sleep: 5000 }, { signal: 'SIGINT' }],
    why: 'it ended before {"signal":"SIGINT"}',
  },
  {
    name: 'hollow-stop',
    argv: ['true'],
    tty: true,
    steps: [{ untilStopped: true }],
    why: 'it did not stop so often',
  },
];

describe.skipIf(!hasLab()).each(modes)(`conformance of %s, seed ${seed}`, (mode) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({
      lab: sharedLab(),
      mode,
      cases: [...allCases, canary, ...hollow],
      workers,
    });
  });
  afterAll(() => bench?.[Symbol.asyncDispose]());

  test.concurrent.each(sampleOf(mode))('$name', async (one) => {
    expect(describeDifferences(await conform(bench, one))).toBe('');
  });

  test('a command that can be told from a local one is told', async () => {
    const { differences } = await conform(bench, canary);
    expect(differences.map(({ what }) => what)).toEqual(['stdout']);
  });

  // What is compared, and how, is the same in all modes.
  test.skipIf(mode === 'replica' || mode === 'session').each(hollow)(
    'a case that does not get as far as its steps is no proof: $why',
    async (one) => {
      const { differences } = await conform(bench, one);
      expect(differences).toContainEqual({ what: 'the case itself', native: one.why, clawrden: '' });
    },
  );
});
