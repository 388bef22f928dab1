import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { failure } from '../../src/outcome.ts';
import { openChannel, readAudit, relay, request, startCore, type TestGateway } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 300 : 40;

// JSON turns a control character into six bytes.
const longestLine = 64 * 1024;
const word = fc
  .tuple(fc.constantFrom('a', '\u0001', '"', 'é', '😀', '\u2028'), fc.constantFrom(1, 100, 4000, 30_000))
  .map(([character, times]) => character.repeat(times));
const args = fc.oneof(
  fc.array(word, { maxLength: 8 }),
  fc.tuple(word, fc.constantFrom(100, 20_000)).map(([one, times]) => Array(times).fill(one.slice(0, 20))),
);
interface Generated {
  readonly tool: string;
  readonly args: string[];
  readonly cwd: string;
  readonly refused: boolean;
}

const start: fc.Arbitrary<Generated> = fc.record({
  tool: fc.constantFrom('run', 'other', 'sh'),
  args,
  cwd: fc.oneof(
    fc.constantFrom('/app', '/app/../etc'),
    word.map((name) => `/app/${name}`),
  ),
  refused: fc.boolean(),
});

function startOf({ tool, args: words, cwd, refused }: Generated): StartRequest {
  const refusal = new ClawrdenError('too-large', 'the relay took it for too large');
  const command = { ...request(tool).command, args: words, cwd };
  return request(tool, { command, ...(refused && { refusal }) });
}

test('A-86: whatever a command is, its records are small, and say what it was', async () => {
  await using core = await startCore(dir);
  const execute = createExecute(core);
  await fc.assert(
    fc.asyncProperty(start, async (generated) => {
      const asked = startOf(generated);
      const channel = openChannel();
      const outcome = execute(relay, asked, channel);
      channel.leave(new ClawrdenError('requester-gone', ''));
      await outcome;
      const row = await core.history.find(asked.executionId);
      // Refused, and one of too many.
      if (row === undefined) return;
      expect(JSON.stringify(row).length).toBeLessThan(3 * longestLine);
      const whole = generated.args.join('').length < 2000 && generated.args.length < 100;
      if (whole) expect(row).toMatchObject({ argv: [generated.tool, ...generated.args] });
      const bytes = Buffer.byteLength([generated.tool, ...generated.args, generated.cwd, ''].join('\0'));
      if (row.cut !== undefined && generated.cwd === '/app')
        expect(row.cut).toMatchObject({ bytes, words: generated.args.length + 1 });
    }),
    { numRuns },
  );
  const lines = readFileSync(join(dir, 'audit.jsonl'), 'utf8').split('\n');
  expect(lines.filter((line) => line.length > longestLine)).toEqual([]);
});

test('A-86: an ordinary command is recorded whole, with its plan', async () => {
  await using core = await startCore(dir);
  const asked = request('run', { command: { ...request('run').command, args: ['install', 'left-pad'] } });
  await createExecute(core)(relay, asked, openChannel());
  const row = await core.history.find(asked.executionId);
  expect(row).toMatchObject({ argv: ['run', 'install', 'left-pad'], cwd: '/app' });
  expect(row?.cut).toBeUndefined();
  expect(JSON.parse(row?.plan ?? '')).toMatchObject({ argv: ['run', 'install', 'left-pad'] });
  expect(readAudit(dir)[0]).toMatchObject({ type: 'decision', argv: ['run', 'install', 'left-pad'] });
});

test('A-561: what a host says of a file, and why a command ended, is recorded short', async () => {
  // Within the longest line of the audit.
  const said = '\u0001'.repeat(15_000);
  {
    await using core: TestGateway = await startCore(dir, async (_permit, execution) => {
      core.recorder.started(execution, [{ path: 'x', digest: 'd', file: '/x', notHeld: said }]);
      return failure('workspace-unstable', said);
    });
    const asked = request('run');
    await createExecute(core)(relay, asked, openChannel());
    const row = () => core.history.find(asked.executionId);
    await expect.poll(async () => (await row())?.reason).toBe('workspace-unstable');
    expect(JSON.stringify(await row()).length).toBeLessThan(longestLine);
  }
  const lines = readFileSync(join(dir, 'audit.jsonl'), 'utf8').split('\n');
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((line) => line.length > longestLine / 2)).toEqual([]);
});
