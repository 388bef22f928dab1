import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sanitizedProgram } from './native-builds.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const inputs = long ? 1_000_000 : 20_000;
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

test(
  `P21: the native frame reader sees in ${inputs} streams what is there, however they are cut and damaged (CLAWRDEN_SEED=${first})`,
  async () => {
    const { stdout, stderr } = await promisify(execFile)(sanitizedProgram('fuzz-frames'), [
      String(first),
      String(inputs),
    ]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`^${inputs} inputs: \\d{4,} frames, \\d{3,} streams refused\\n$`));
  },
  long ? 600_000 : 60_000,
);
