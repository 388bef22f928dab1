import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sanitizedProgram } from './native-builds.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const inputs = long ? 1_000_000 : 10_000;
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

test(
  `12: the carrier's parsers and its index hold for ${inputs} made-up payloads and histories (CLAWRDEN_SEED=${first})`,
  async () => {
    const run = promisify(execFile)(sanitizedProgram('fuzz-entries'), [String(first), String(inputs)]);
    const { stdout, stderr } = await run;
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`^${inputs} inputs: \\d{3,} entries, \\d{3,} hellos taken\\n$`));
  },
  long ? 900_000 : 60_000,
);
