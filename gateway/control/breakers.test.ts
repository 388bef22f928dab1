import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import type { Breaker, Policy } from '../../src/policy/policy.ts';
import type { Judgement } from '../judging/judge.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { createBreakers } from './breakers.ts';
import type { Tripped } from './kill-switch.ts';

const repeats: Breaker = { name: 'stuck', trips: { on: 'repeats', most: 3 }, action: 'refuse' };
const failures: Breaker = { name: 'lost', trips: { on: 'failures', most: 3 }, action: 'pause' };
const rate: Breaker = { name: 'flood', trips: { on: 'rate', most: 2, perMs: 1000 }, action: 'refuse' };

/** Breakers with a clock and a policy that the test sets. */
function setup(...breakers: Breaker[]) {
  const state = { now: 0, breakers, mode: 'enforce' as Policy['mode'] };
  const tripped: [string, Tripped][] = [];
  const made = createBreakers({
    policy: () => ({ breakers: state.breakers, mode: state.mode }) as unknown as Policy,
    trip: (agent, what) => void tripped.push([agent, what]),
    halted: (agent) => new ClawrdenError('breaker-open', `${agent} is stopped`),
    now: () => state.now,
  });
  const come = (tool: string, agent = 'a', action: 'allow' | 'deny' = 'allow') => {
    const command = { tool, args: [], cwd: '/app' };
    const cleared = { command, subject: { agent: { name: agent }, identity: { uid: 1, gid: 1 } } };
    const decision = { action, rule: 'r', reason: '' };
    return made.apply({ policyHash: '', decision, cleared } as unknown as Judgement).decision;
  };
  const end = (outcome: Outcome, agent = 'a', decision = 'allow') =>
    made.ended({ agent, decision } as ExecutionRecord, outcome);
  return { state, tripped, come, end, reset: made.reset, refused: made.refused };
}

const exit = (code: number): Outcome => ({ kind: 'exited', code, signal: 0 });

test('the same command so many times in a row: the last of them is refused, and the agent stopped', () => {
  const { come, tripped } = setup(repeats);
  expect(['x', 'x', 'y', 'x', 'x'].map((tool) => come(tool).action)).toEqual(Array(5).fill('allow'));
  expect(come('x', 'b').action).toBe('allow');
  expect(tripped).toEqual([]);
  expect(come('x')).toMatchObject({ action: 'deny', code: 'breaker-open', reason: 'a is stopped' });
  expect(tripped).toEqual([
    ['a', { breaker: 'stuck', state: 'refused', reason: 'the same command 3 times in a row' }],
  ]);
});

test('a person who resumes an agent has it counted anew', () => {
  const { come, reset, tripped } = setup(repeats);
  for (let index = 0; index < 3; index += 1) come('x');
  reset('a');
  expect([come('x'), come('x')].map(({ action }) => action)).toEqual(['allow', 'allow']);
  expect(tripped).toHaveLength(1);
});

test('failures in a row: any exit but 0, limits and refusals; not what Clawrden or a person ended', () => {
  const { come, end, tripped } = setup(failures);
  const neutral: Outcome[] = [
    failure('host-lost', ''),
    failure('canceled', ''),
    failure('audit-unwritable', ''),
    { kind: 'started' },
    { kind: 'interrupted', signal: 2 },
  ];
  for (const outcome of [exit(1), exit(2), exit(0), exit(125), failure('run-timeout', ''), ...neutral])
    end(outcome);
  expect(tripped).toEqual([]);
  end(exit(1), 'b');
  end(exit(1), 'a', 'deny');
  end(exit(1), '');
  expect(tripped).toEqual([]);
  expect(come('x', 'a', 'deny')).toMatchObject({ code: 'breaker-open' });
  expect(tripped).toEqual([['a', { breaker: 'lost', state: 'paused', reason: '3 failures in a row' }]]);
});

test('a failure trips when it is there, not at the next command', () => {
  const { end, tripped } = setup(failures);
  for (const outcome of [failure('denied-by-person', ''), failure('out-of-memory', ''), exit(9)])
    end(outcome);
  expect(tripped).toHaveLength(1);
});

test('a rate holds over any stretch of its length', () => {
  const { state, come, tripped } = setup(rate);
  for (const time of [0, 900, 1000, 1900, 2000]) {
    state.now = time;
    expect(come(`${time}`).action).toBe('allow');
  }
  state.now = 2899;
  expect(come('x').action).toBe('deny');
  expect(tripped).toEqual([['a', expect.objectContaining({ reason: 'more than 2 commands in 1 s' })]]);
});

test('the strictest of those that trip together is told, with its reason', () => {
  const { come, tripped } = setup(repeats, { ...repeats, name: 'stop', action: 'pause', reason: 'call Ann' });
  for (let index = 0; index < 3; index += 1) come('x');
  const reason = 'the same command 3 times in a row (call Ann)';
  expect(tripped).toEqual([['a', { breaker: 'stop', state: 'paused', reason }]]);
});

test('a policy that changes goes on with what was counted; one in shadow mode stops nobody', () => {
  const { state, come, tripped } = setup(repeats, rate);
  come('x');
  come('x');
  state.breakers = [{ ...repeats, name: 'other', agents: new Set(['b']) }];
  expect(come('x').action).toBe('allow');
  state.mode = 'shadow';
  state.breakers = [repeats];
  expect(come('x').action).toBe('allow');
  expect(tripped).toEqual([]);
  state.mode = 'enforce';
  expect(come('x').action).toBe('deny');
});

test('what was refused before anybody knew the agent counts for nobody', () => {
  const { tripped } = setup(repeats);
  const made = createBreakers({
    policy: () => ({ breakers: [repeats], mode: 'enforce' }) as unknown as Policy,
    trip: () => expect.fail(),
    halted: () => undefined,
  });
  const judgement: Judgement = { policyHash: '', decision: { action: 'deny', rule: 'r', reason: '' } };
  for (let index = 0; index < 5; index += 1) expect(made.apply(judgement)).toBe(judgement);
  expect(tripped).toEqual([]);
});

test('A-86: what is refused as it stands counts for its agent, too; what a stopped one asks for does not', () => {
  const { refused, tripped, state } = setup(failures, rate);
  for (const code of ['agent-paused', 'agent-killed', 'breaker-open'])
    for (let i = 0; i < 5; i += 1) refused('a', code);
  refused('', 'too-large');
  expect(tripped).toEqual([]);
  for (const [index, code] of ['too-large', 'rate-limit', 'identity-user'].entries()) {
    state.now = index * 1000;
    refused('a', code);
  }
  expect(tripped).toEqual([['a', expect.objectContaining({ breaker: 'lost' })]]);
  for (let i = 0; i < 3; i += 1) refused('b', 'canceled');
  expect(tripped.slice(1)).toEqual([['b', expect.objectContaining({ breaker: 'flood' })]]);
});
