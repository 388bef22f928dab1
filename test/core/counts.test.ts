import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { createExecutionCounts } from '../../gateway/metrics/execution-counts.ts';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import { errorCodes } from '../../src/errors.ts';
import { openChannel, type RunPermit, relay, request, smallLimits, startCore } from './start-core.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const { command } = request('run');
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const asked: fc.Arbitrary<StartRequest> = fc.oneof(
  fc.constant(request('run')),
  word.map((tool) => request(tool)),
  fc.array(word, { maxLength: 3 }).map((args) => request('run', { command: { ...command, args } })),
  word.map((cwd) => request('run', { command: { ...command, cwd } })),
  word.map((agent) => request('run', { agent })),
  fc.constant(request('run', { identity: { uid: 0, gid: 0 } })),
);
const words = new Set<string>([
  ...['ghost', 'mirror', 'passthrough', 'help', 'fetch'],
  ...['', 'allow', 'ask', 'deny', 'exited', 'started', 'denied', 'canceled', 'timed-out', 'failed'],
  ...['interrupted', 'received', 'awaiting-approval', 'queued', 'running', '+Inf', ...errorCodes],
]);

test('A-119 P20: whatever agents ask for, each end counts once, and none of their words names a series', async () => {
  const unlimited = { ...smallLimits, requestsPerSecond: 1e6, bytesPerSecond: 1e12 };
  const run: RunPermit = async (_permit, execution) => {
    execution.started();
    return { kind: 'exited', code: 7, signal: 0 };
  };
  await using core = await startCore(dir, run, unlimited);
  const counts = createExecutionCounts();
  const execute = createExecute({ ...core, recorder: counts.watch(core.recorder) });
  const numRuns = process.env['CLAWRDEN_LONG'] ? 5000 : 300;
  let done = 0;
  const sample = fc.sample(asked, { numRuns, seed: 119 });
  for (const one of [...sample, request('run'), request('nothing')]) {
    await execute(relay, { ...one, executionId: request('run').executionId }, openChannel());
    done += 1;
  }
  const metrics = counts.metrics();
  const samples = metrics.flatMap((metric) => metric.samples);
  const used = samples.flatMap(({ labels }) =>
    Object.entries(labels).flatMap(([key, value]) => (key === 'le' && value !== '+Inf' ? [] : [value])),
  );
  expect([...new Set(used)].filter((each) => !words.has(each))).toEqual([]);
  const [decisions, ends, times] = metrics;
  const sumOf = (metric = decisions) => metric?.samples.reduce((sum, { value }) => sum + value, 0);
  expect(sumOf(ends)).toBe(done);
  expect(ends?.samples).toContainEqual({
    labels: { outcome: 'exited', reason: '', strategy: 'mirror' },
    value: expect.any(Number),
  });
  expect(ends?.samples).toContainEqual({
    labels: { outcome: 'denied', reason: 'identity-agent', strategy: '' },
    value: expect.any(Number),
  });
  expect(decisions?.samples.map(({ labels }) => labels['action'])).toEqual(['allow', 'ask', 'deny']);
  const ran = times?.samples.find(({ part, labels }) => part === 'count' && labels['state'] === 'running');
  expect(ran?.value).toBe(core.ran.length);
});
