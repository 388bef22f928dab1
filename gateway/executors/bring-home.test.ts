import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abortable } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import { Execution, Halted } from '../execution/execution.ts';
import type { ToCaller } from '../ports/channel.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Visit } from '../workspaces/visit.ts';
import { bringHome, bringHomeStopped, exchangeLive } from './bring-home.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const halted = new Halted('canceled', 'killed by admin');
const canceled = new ClawrdenError('canceled', 'the caller is gone');
const done: Outcome = { kind: 'exited', code: 0, signal: 0 };

function start(hear: (item: ToCaller) => void = () => {}): Execution {
  const wiring = { stdio: ['null', 'pipe', 'pipe'], ignored: [] } as const;
  const record = { state: 'received', receivedAt: 0, caller: 'relay:host-7' } as ExecutionRecord;
  const execution = new Execution(record, { wiring, hostLabels: {} }, () => {});
  const gone = new AbortController().signal;
  const send = (item: ToCaller) => {
    hear(item);
    return undefined;
  };
  execution.attach({ gone, listen: () => {}, send });
  return execution;
}

/** A visit whose exchanges take `ms`; `came` counts those that were not cut. */
function visiting(ms: number) {
  const seen = { began: 0, came: 0 };
  const exchange = async (signal: AbortSignal): Promise<undefined> => {
    seen.began += 1;
    await abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
    seen.came += 1;
  };
  const visit: Visit = { settle: exchange, bringHome: exchange, exchange, leaveIn: () => {}, end: () => {} };
  return { seen, visit };
}

test('12: a command that is canceled while its changes come home has them there all the same', async () => {
  const [execution, { seen, visit }] = [start(), visiting(5000)];
  const bringing = bringHome(done, visit, execution);
  const ended = bringing.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1000);
  execution.stop(canceled);
  await vi.advanceTimersByTimeAsync(4000);
  expect(await ended).toBe(canceled);
  expect(seen.came).toBe(1);
});

test('12: who cancels waits 30 s at most for changes to come home', async () => {
  const [execution, { seen, visit }] = [start(), visiting(3_600_000)];
  const ended = bringHome(done, visit, execution).catch((error: unknown) => error);
  execution.stop(canceled);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await ended).toBe(canceled);
  expect(seen.came).toBe(0);
});

test.each<[string, (visit: Visit, execution: Execution) => Promise<unknown>]>([
  ['after its end', (visit, execution) => bringHome(done, visit, execution)],
  ['after it failed', bringHomeStopped],
])('P19: what comes home %s is cut at once when the agent is halted', async (_when, work) => {
  const [execution, { seen, visit }] = [start(), visiting(20_000)];
  const working = work(visit, execution).catch(() => {});
  await vi.advanceTimersByTimeAsync(200);
  expect(seen.began).toBe(1);
  execution.stop(halted);
  await vi.advanceTimersByTimeAsync(0);
  await working;
  expect(seen.came).toBe(0);
});

test('P19: a kill that comes after a cancel cuts at once what comes home', async () => {
  const [execution, { seen, visit }] = [start(), visiting(20_000)];
  const working = bringHome(done, visit, execution).catch((error: unknown) => error);
  execution.stop(canceled);
  await vi.advanceTimersByTimeAsync(1000);
  execution.stop(halted);
  await vi.advanceTimersByTimeAsync(0);
  expect([await working, seen.came]).toEqual([halted, 0]);
});

const path = (text: string) => Buffer.from(text);
test.each([
  [{ refused: 1, unstable: [], notCarried: [] }, 'workspace-conflict', []],
  [{ refused: 0, unstable: [path('log')], notCarried: [] }, 'workspace-unstable', []],
  [{ refused: 0, unstable: [], notCarried: [path('core')] }, 'workspace-limit', []],
  [
    { refused: 2, unstable: [path('a b'), path('c')], notCarried: [path('d')] },
    'workspace-conflict',
    ['workspace-unstable', 'workspace-limit'],
  ],
])('12: a command does not say 0 while %j of it is not at home', async (left, code, notices) => {
  const { visit } = visiting(0);
  const leaving: Visit = { ...visit, bringHome: () => Promise.resolve({ agent: 'coder', ...left }) };
  const said: string[] = [];
  for (const outcome of [done, { ...done, code: 3 }]) {
    const execution = start((item) => void (item.type === 'notice' && said.push(item.text)));
    const ended = await bringHome(outcome, leaving, execution);
    expect(ended).toMatchObject(outcome === done ? { kind: 'failed', reason: code } : outcome);
  }
  expect(said.map((text) => text.split(':')[0])).toEqual([...notices, code, ...notices]);
});

test.each([
  ['P19: a live exchange is cut at once when the agent is halted', halted, 0],
  ['12: a live exchange comes to its end when the command is only canceled', canceled, 1],
])('%s', async (_what, reason, came) => {
  vi.useRealTimers();
  const [execution, { seen, visit }] = [start(), visiting(500)];
  const live = exchangeLive({ liveMs: 1 } as Plan, visit, execution);
  await vi.waitFor(() => expect(seen.began).toBe(1));
  execution.stop(reason);
  await live?.[Symbol.asyncDispose]();
  expect(seen).toEqual({ began: 1, came });
});

test('A-563 P13: a live exchange that takes longer than 30 s is not cut while nobody stops the command', async () => {
  const [execution, { seen, visit }] = [start(), visiting(60_000)];
  const live = exchangeLive({ liveMs: 1 } as Plan, visit, execution);
  await vi.waitFor(() => expect(seen.began).toBe(1));
  await vi.advanceTimersByTimeAsync(60_001);
  expect(seen.came).toBe(1);
  execution.stop(halted);
  await live?.[Symbol.asyncDispose]();
});

test('12: who cancels waits 30 s at most for a live exchange', async () => {
  const [execution, { seen, visit }] = [start(), visiting(3_600_000)];
  const live = exchangeLive({ liveMs: 1 } as Plan, visit, execution);
  await vi.waitFor(() => expect(seen.began).toBe(1));
  execution.stop(canceled);
  const ended = live?.[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(30_000);
  await ended;
  expect(seen).toEqual({ began: 1, came: 0 });
});
