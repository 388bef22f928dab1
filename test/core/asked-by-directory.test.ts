import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { openChannel, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

test('P10: a rule about the directory holds for a tool that gets no workspace, before the yes and after it', async () => {
  const tools = '  rm: { strategy: ghost, image: "i", stdin: none, workspace: none }\n';
  const ask = '  - { name: asked, tools: [rm], cwd: ["/app"], action: ask }\n';
  const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
  await using given = await startCore(dir, undefined, undefined, ask, tools);
  const core = { ...given, obtainImage: () => Promise.resolve(facts) };
  const running = createExecute(core)(relay, request('rm'), openChannel());
  await vi.waitUntil(() => core.approvals.pending().length === 1);
  const { id = '', planHash = '' } = core.approvals.pending()[0] ?? {};
  const yes = { verdict: 'approved', by: 'person:admin', via: 'api', reason: '' } as const;
  await core.approvals.resolve(id, { ...yes, planHash });
  expect(await running).toMatchObject({ kind: 'exited' });
});
