import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Bench, startBench } from './bench.ts';
import type { Case } from './case.ts';
import { allCases } from './cases/all.ts';
import { conform } from './conform.ts';
import { describeDifferences } from './report.ts';
import { sampleOf, seed, strategies } from './suite.ts';

const workers = 4;
const canary: Case = { name: 'canary', argv: ['hostname'] };

describe.skipIf(!hasLab()).each(strategies)(`conformance of %s, seed ${seed}`, (strategy) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ lab: sharedLab(), strategy, cases: [...allCases, canary], workers });
  });
  afterAll(() => bench?.[Symbol.asyncDispose]());

  test.concurrent.each(sampleOf(strategy))('$name', async (one) => {
    expect(describeDifferences(await conform(bench, one))).toBe('');
  });

  test('a command that can be told from a local one is told', async () => {
    const { differences } = await conform(bench, canary);
    expect(differences.map(({ what }) => what)).toEqual(['stdout']);
  });
});
