import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import type { Executor } from '../../gateway/executors/executor.ts';
import { anyApprover } from '../fixtures/any-approver.ts';
import { openChannel, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

/** The core with places that are waited for; how many were given back. */
async function startWaiting(stamp: () => string) {
  const tools = '  rm: { strategy: ghost, image: "i", stdin: none }\n';
  const ask = '  - { name: asked, tools: [rm], action: ask }\n';
  const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
  const core = await startCore(dir, undefined, undefined, ask, tools);
  const place = Promise.withResolvers<void>();
  const [ran, left]: [string[], string[]] = [[], []];
  const executor: Executor = async ({ sealed }, execution) => {
    const line = sealed.plan.argv.join(' ');
    await place.promise;
    return async () => {
      left.push(line);
      execution.signal.throwIfAborted();
      ran.push(line);
      return { kind: 'exited', code: 0, signal: 0 };
    };
  };
  const approvers = { ...anyApprover, rightOf: () => ({ role: 'admin', stamp: stamp() }) as const };
  const parts = {
    ...core,
    obtainImage: () => Promise.resolve(facts),
    authorizing: { ...core.authorizing, approvers },
    executors: { ...core.executors, ghost: executor },
  };
  return { core, place, ran, left, execute: createExecute(parts) };
}

const yes = { verdict: 'approved', by: 'person:bob', via: 'cli', reason: '' } as const;

test.each([
  ['keeps the right', false],
  ['is revoked', true],
])('A-587 P10: a command waits for its place, and the giver of its yes %s', async (_what, isRevoked) => {
  let stamp = '1/0';
  const { core, place, ran, left, execute } = await startWaiting(() => stamp);
  const outcome = execute(relay, request('rm'), openChannel());
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  const { id = '', planHash = '' } = core.approvals.pending()[0] ?? {};
  await core.approvals.resolve(id, { ...yes, planHash });
  await vi.waitUntil(() => [...core.ledger.executions()].some(({ record }) => record.state === 'queued'));
  if (isRevoked) stamp = '1/1';
  place.resolve();
  const refused = { kind: 'denied', reason: 'policy-changed', text: expect.stringContaining('person:bob') };
  expect(await outcome).toMatchObject(isRevoked ? refused : { kind: 'exited' });
  expect([left, ran]).toEqual([['rm'], isRevoked ? [] : ['rm']]);
  await core[Symbol.asyncDispose]();
});

test.each([
  ['stays', () => undefined, true],
  ['is revoked', async (end: (id: string) => Promise<unknown>, id: string) => await end(id), false],
])('A-587 P10: a command waits for its place, and the yes for a while that covers it %s', async (...row) => {
  const [, change, isRun] = row;
  const { core, place, ran, execute } = await startWaiting(() => '1/0');
  const first = execute(relay, request('rm'), openChannel());
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  const { id = '', planHash = '' } = core.approvals.pending()[0] ?? {};
  expect(await core.approvals.resolve(id, { ...yes, planHash, grantMs: 60_000 })).toMatchObject({
    type: 'resolved',
  });
  const second = execute(relay, request('rm'), openChannel());
  await vi.waitUntil(() => [...core.ledger.executions()].some(({ grant }) => grant !== ''));
  const [grant] = core.grants.list();
  await change((one) => core.grants.revoke(one, 'person:ann', 'test'), grant?.id ?? '');
  place.resolve();
  expect(await first).toMatchObject({ kind: 'exited' });
  expect(await second).toMatchObject(isRun ? { kind: 'exited' } : { reason: 'policy-changed' });
  expect(ran).toHaveLength(isRun ? 2 : 1);
  await core[Symbol.asyncDispose]();
});
