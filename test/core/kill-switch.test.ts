import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { openChannel, operator, readAudit, relay, request, startCore } from './start-core.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});

afterEach(() => rmSync(dir, { recursive: true }));

test('A-72: a killed agent is refused, its work ends, and it stays killed after a restart', async () => {
  {
    await using core = await startCore(
      dir,
      (_permit, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    const running = createExecute(core)(relay, request('run'), openChannel());
    await vi.waitUntil(() => core.ran.length === 1);
    expect(await core.killSwitch.set('coder', 'killed', operator, 'frightened')).toEqual({
      stopped: 1,
      unconfirmed: [],
    });
    expect(await running).toMatchObject({ kind: 'canceled', text: 'killed by operator:admin' });
  }
  await using core = await startCore(dir);
  const execute = createExecute(core);
  expect(await execute(relay, request('run'), openChannel())).toMatchObject({ reason: 'agent-killed' });
  await core.killSwitch.set('coder', 'active', operator, '');
  expect((await execute(relay, request('run'), openChannel())).kind).toBe('exited');
  expect(readAudit(dir).filter(({ type }) => type === 'control')).toMatchObject([
    { agent: 'coder', state: 'killed', by: 'operator:admin', reason: 'frightened' },
    { agent: 'coder', state: 'active' },
  ]);
});
