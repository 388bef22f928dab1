import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Execution } from '../../gen/clawrden/v1/warden.ts';
import { plainText } from '../print/cells.ts';
import { factRows } from '../print/output.ts';
import { executionFacts } from './show-execution.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 1000;
const limits = { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 };
const ours = ['plan         none', 'result       exit 0', 'approver     person:admin', 'cwd          "/app"'];
const text = fc
  .array(fc.oneof(fc.constantFrom(' ', '\n', ...ours), fc.string({ unit: 'binary', maxLength: 90 })), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
const time = '2026-11-21T08:00:00.000Z';
const script = fc.oneof(fc.record({ path: text }), fc.record({ notInspected: text }));
const plan = fc
  .record({
    argv: fc.array(text, { minLength: 1, maxLength: 2 }),
    scripts: fc.array(script, { maxLength: 3 }),
  })
  .map((drawn) =>
    JSON.stringify({
      ...{ cwd: '/app', uid: 1000, gid: 1000, umask: 18, strategy: 'mirror', network: '', workspace: '/app' },
      ...{ mounts: [], env: [], stdin: 'pipe', timeoutMs: 0, idleTimeoutMs: 0, policyHash: 'p', limits },
      ...drawn,
    }),
  );
const operands = fc
  .array(fc.oneof(fc.record({ path: text, digest: text, file: text }), fc.record({ notInspected: text })), {
    maxLength: 3,
  })
  .map((found) => JSON.stringify(found));
const execution = fc
  .record({
    agent: text,
    caller: text,
    argv: fc.array(text, { minLength: 1, maxLength: 3 }),
    cwd: text,
    rule: text,
    decisionReason: text,
    approver: text,
    text,
    host: text,
    container: text,
    reason: text,
    plan: fc.oneof(fc.constant(''), plan),
    operands: fc.oneof(fc.constant(''), operands),
  })
  .map((drawn) =>
    Execution.fromPartial({
      id: 'e',
      decision: 'ask',
      state: 'ended',
      outcome: 'failed',
      receivedAt: time,
      ...drawn,
    }),
  );

test('A-81: show: no row but the first of a fact begins like one of ours, and all fit', () => {
  fc.assert(
    fc.property(execution, fc.integer({ min: 40, max: 200 }), (drawn, columns) => {
      const facts = executionFacts(drawn);
      const rows = factRows(facts, columns).map(({ row }) => row.map(plainText).join(''));
      for (const row of rows) expect(row).toMatch(new RegExp(`^[\\x20-\\x7e]{0,${columns}}$`));
      const begun = rows.filter((row) => !row.startsWith('  \\ '));
      const width = Math.max(...facts.map(([name]) => name.length));
      expect(begun.map((row) => row.slice(0, width).trimEnd())).toEqual(facts.map(([name]) => name));
    }),
    { numRuns },
  );
});
