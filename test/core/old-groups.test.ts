import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import type { Approvers } from '../../gateway/ports/approvers.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { anyApprover } from '../fixtures/any-approver.ts';
import { openChannel, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

test('A-307 P17: a grant whose giver has left the group covers nothing, though nobody has read the groups since', async () => {
  const tools = '  rm: { strategy: ghost, image: "i", stdin: none }\n';
  const ask = '  - { name: asked, tools: [rm], action: ask }\n';
  const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
  await using given = await startCore(dir, undefined, undefined, ask, tools);
  // What the provider says now, and what is known of it here.
  const group = { has: true, knownToHave: true };
  const approvers: Approvers = {
    ...anyApprover,
    rightOf: () => (group.knownToHave ? { role: 'admin', stamp: '1/0' } : undefined),
    freshen: async () => {
      await new Promise(setImmediate);
      group.knownToHave = group.has;
    },
  };
  const authorizing = { ...given.authorizing, approvers };
  const core = { ...given, authorizing, obtainImage: () => Promise.resolve(facts) };
  const asked = () => core.approvals.pending();
  const first = createExecute(core)(relay, request('rm'), openChannel());
  await vi.waitUntil(() => asked().length === 1);
  const { id = '', planHash = '' } = asked()[0] ?? {};
  const yes = { verdict: 'approved', by: 'person:carol', via: 'api', reason: '' } as const;
  await core.approvals.resolve(id, { ...yes, planHash, grantMs: 60_000 });
  expect(await first).toMatchObject({ kind: 'exited' });
  expect(await createExecute(core)(relay, request('rm'), openChannel())).toMatchObject({ kind: 'exited' });
  group.has = false;
  const channel = openChannel();
  const next = createExecute(core)(relay, request('rm'), channel);
  await vi.waitUntil(() => asked().length === 1);
  channel.leave(new ClawrdenError('canceled', 'left'));
  expect([await next, core.ran.length]).toMatchObject([{ kind: 'canceled' }, 2]);
});
