import { expect, test } from 'vitest';
import type { Ended } from './load.ts';
import { type Change, missingRows, wrongLosses, wrongRecords } from './losses.ts';
import type { AuditLine } from './records.ts';

const stoppedAt = Date.parse('2026-01-01T00:01:00Z');
const at = (seconds: number) => stoppedAt + 1000 * seconds;
const timeOf = (seconds: number) => new Date(at(seconds)).toISOString();
const done: Ended = {
  ...{ token: 'g1', code: 0, signal: null, ms: 500, stdout: 'g1\n', stderr: '' },
  ...{ typedAt: at(-1), endedAt: at(-0.5) },
};
const killed: Change = { name: 'killed', costs: 'what runs', stoppedAt, servedAt: at(3) };
const ended: Change = { ...killed, name: 'ended', costs: 'what runs on for 30 s', servedAt: at(34) };

function failed(code: string, times: Partial<Ended> = {}): Ended {
  return { ...done, code: 125, stdout: '', stderr: `clawrden: ${code}: why\n`, ...times };
}

const running = { typedAt: at(-1), endedAt: at(0.2) };
const later = { typedAt: at(2), endedAt: at(3) };

test('a change costs what runs, and nothing else', () => {
  const explained = (one: Ended, change: Change) => wrongLosses([one], [change]).length === 0;
  expect(explained(done, killed)).toBe(true);
  expect(explained(failed('gateway-lost', running), killed)).toBe(true);
  for (const wrong of [
    failed('gateway-lost', later),
    failed('gateway-lost', { typedAt: at(-9), endedAt: at(-8) }),
    failed('canceled', running),
    failed('canceled', later),
    failed('gateway-unreachable', { ...later, ms: 900 }),
    failed('internal', running),
  ])
    expect([wrong.stderr, explained(wrong, killed)]).toEqual([wrong.stderr, false]);
  expect(explained(failed('gateway-unreachable', { ...later, ms: 10_050 }), killed)).toBe(true);
  expect(explained(failed('canceled', { typedAt: at(-1), endedAt: at(30) }), ended)).toBe(true);
  expect(explained(failed('canceled', running), ended)).toBe(false);
  expect(explained(failed('gateway-lost', running), ended)).toBe(false);
  expect(explained(failed('canceled', later), { ...ended, costs: 'documented' })).toBe(true);
  expect(explained(failed('canceled', { typedAt: at(60), endedAt: at(61) }), ended)).toBe(false);
});

const decision: AuditLine = {
  ...{ type: 'decision', decision: 'allow', execution: 'one', time: timeOf(-0.9) },
  argv: ['sh', 'step.sh', 'g1', '0'],
};
const outcome: AuditLine = {
  ...{ type: 'outcome', execution: 'one', outcome: 'exited', code: 0, reason: '', time: timeOf(-0.5) },
};
const begin: AuditLine = { type: 'lifecycle', event: 'start', time: timeOf(-50) };

test('what said 0 has one execution that ended with 0', () => {
  const wrong = (lines: readonly AuditLine[], changes?: readonly Change[]) =>
    wrongRecords([done], [begin, ...lines], changes, at(60));
  expect(wrong([decision, outcome], [])).toEqual([]);
  expect(wrong([], [])).toEqual(['g1: it said 0, and the audit has no execution of it']);
  expect(wrong([decision], [])).toEqual(['g1: it said 0, and the audit has no end of it']);
  const twice = [decision, outcome, { ...decision, execution: 'two' }, { ...outcome, execution: 'two' }];
  expect(wrong(twice, [])).toEqual(['g1: 2 executions']);
  const lost = [decision, { ...outcome, outcome: 'failed', reason: 'gateway-lost', code: 125 }];
  expect(wrong(lost, [])).toEqual(['g1: it said 0, and the audit gateway-lost']);
  expect(wrong(lost, [ended])).toHaveLength(1);
  expect(wrong(lost, [killed])).toEqual([]);
  expect(wrong(lost)).toEqual([]);
});

test('what ended stands in the history', () => {
  const row = { state: 'ended', outcome: 'exited', exitCode: 0, reason: '' };
  const rows = [
    { ...row, id: 'one', receivedAt: timeOf(-1) },
    { ...row, id: 'older', receivedAt: timeOf(-40) },
  ];
  const lines = [begin, decision, outcome];
  expect(missingRows(lines, rows, at(60))).toEqual([]);
  const missing = ['one: it ended, and the history does not say so'];
  expect(missingRows(lines, rows.slice(1), at(60))).toEqual(missing);
  const open = rows.map((each) => ({ ...each, state: 'running' }));
  expect(missingRows(lines, open, at(60))).toEqual(missing);
});
