import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Step } from '../demo/steps.ts';
import { run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { hasLab } from '../lab/shared-lab.ts';

const keys = 'step command decision rule host container exitCode ms';

test.skipIf(!hasLab())(
  'scripts/demo --json prints an object for each step',
  { timeout: 180_000 },
  async () => {
    const stdout = await run([join(checkout, 'scripts/demo'), '--json'], { timeout: 170_000 });
    const lines = stdout.trimEnd().split('\n');
    const steps = lines.map((line) => JSON.parse(line) as Step);
    expect([...new Set(steps.map((step) => Object.keys(step).join(' ')))]).toEqual([keys]);
    expect(steps.map(({ decision, exitCode }) => [decision, exitCode])).toEqual([
      ['', 0],
      ['', 0],
      // A model, its key, and an answer that is cut off.
      ['', 0],
      ['', 0],
      ['', 1],
      ['allow', 0],
      ['allow', 0],
      ['deny', 1],
      ['ask', 0],
      ['allow', 0],
      ['allow', 0],
      ['', 0],
      ['ask', 1],
    ]);
  },
);
