import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExecute, type Execute } from '../../gateway/execute.ts';
import type { Principal } from '../../gateway/ports/principal.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import type { Outcome } from '../../src/outcome.ts';
import { openChannel, readAudit, relay, request, startCore } from './start-core.ts';

const program: Principal = { kind: 'program', name: 'ci', role: 'orchestrator', scope: {} };

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

test('P25: the decision is on the disk before the executor is called', async () => {
  let before: unknown[] = [];
  await using core = await startCore(dir, (): Promise<Outcome> => {
    before = readAudit(dir).map(({ type }) => type);
    return Promise.resolve({ kind: 'exited', code: 7, signal: 0 });
  });
  expect(await createExecute(core)(relay, request('run'), openChannel())).toEqual({
    kind: 'exited',
    code: 7,
    signal: 0,
  });
  expect(before).toEqual(['decision']);
  // The outcome is recorded after the answer.
  const recorded = () => readAudit(dir).map(({ type, decision, code }) => [type, decision ?? code]);
  await expect.poll(recorded).toEqual([
    ['decision', 'allow'],
    ['outcome', 7],
  ]);
});

test('nobody sees an end without its outcome', async () => {
  const outcomes = new Set<string>();
  const watching = new AbortController();
  await using core = await startCore(dir, (_permit, execution): Promise<Outcome> => {
    const look = () => {
      const { state, outcome } = execution.record;
      if (state === 'ended') outcomes.add(outcome);
      if (!watching.signal.aborted) setImmediate(look);
    };
    look();
    return Promise.resolve({ kind: 'exited', code: 7, signal: 0 });
  });
  await createExecute(core)(relay, request('run'), openChannel());
  await expect.poll(() => outcomes.size).toBe(1);
  watching.abort();
  expect([...outcomes]).toEqual(['exited']);
});

test.each([
  ['tool-unknown', request('other')],
  ['identity-agent', request('run', { agent: 'foreign' })],
  [
    'identity-agent',
    request('run', { agent: 'foreign', refusal: new ClawrdenError('too-large', 'not to be recorded') }),
  ],
  ['identity-user', request('run', { identity: { uid: 1001, gid: 1000 } })],
  ['identity-root', request('run', { identity: { uid: 0, gid: 0 } })],
  ['cwd-outside', request('run', { command: { ...request('run').command, cwd: '/app/../etc' } })],
  [
    'identity-mismatch',
    request('run', { refusal: new ClawrdenError('identity-mismatch', 'claims 0, is 1000') }),
  ],
])('%s is one denial in the audit, and nothing runs', async (code, start) => {
  await using core = await startCore(dir);
  expect(await createExecute(core)(relay, start, openChannel())).toMatchObject({
    kind: 'denied',
    reason: code,
  });
  expect(readAudit(dir).filter(({ decision }) => decision === 'deny')).toHaveLength(1);
  const isIncident = code === 'identity-agent' || code === 'identity-mismatch';
  expect(readAudit(dir).filter(({ type }) => type === 'incident')).toHaveLength(isIncident ? 1 : 0);
  expect(core.ran).toEqual([]);
});

test('P15: an id starts once, whichever caller used it, in the same words: at once, later and after a restart', async () => {
  const words = new Set<string>();
  const start = (execute: Execute, caller: Principal, executionId: string) =>
    execute(
      caller,
      { ...request('run'), agent: caller === relay ? 'coder' : '', executionId },
      openChannel(),
    );
  const refused = (outcome: Outcome, id: string) => {
    expect(outcome).toMatchObject({ reason: 'id-duplicate' });
    if ('text' in outcome) words.add(outcome.text.replace(id, 'ID'));
  };
  const [early, late] = [newExecutionId(), newExecutionId()];
  {
    await using core = await startCore(dir);
    const execute = createExecute(core);
    const [first, second] = await Promise.all([start(execute, relay, early), start(execute, program, early)]);
    expect(first.kind).toBe('exited');
    refused(second, early);
    expect((await start(execute, relay, late)).kind).toBe('exited');
    refused(await start(execute, program, late), late);
    refused(await start(execute, relay, late), late);
  }
  await using again = await startCore(dir);
  for (const id of [early, late])
    for (const caller of [relay, program]) refused(await start(createExecute(again), caller, id), id);
  expect(words.size).toBe(1);
  expect(again.ran).toEqual([]);
});

test('P15: an id starts once, also after a restart', async () => {
  const start = request('run');
  {
    await using core = await startCore(dir);
    const execute = createExecute(core);
    expect((await execute(relay, start, openChannel())).kind).toBe('exited');
    expect(await execute(relay, start, openChannel())).toMatchObject({ reason: 'id-duplicate' });
  }
  await using again = await startCore(dir);
  expect(await createExecute(again)(relay, start, openChannel())).toMatchObject({ reason: 'id-duplicate' });
  expect(again.ran).toEqual([]);
});
