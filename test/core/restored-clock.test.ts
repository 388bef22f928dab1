import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startCore } from './start-core.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-core-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

const expiresInMs = 1000;
const plan = JSON.stringify({ agent: 'coder', argv: ['ls'], cwd: '/app', stdin: 'none', mounts: [] });
const question = {
  ...{ executionId: 'e', caller: 'relay:host-1', agent: 'coder', planHash: 'h', plan },
  ...{ rule: 'must-ask', reason: '', context: '{}', expiresInMs },
};

test.each([
  ['an hour', 3_600_000],
  ['more than a timer takes', 40 * 86_400_000],
] as const)(
  'A-544 P10 P26: a question that is restored after the wall clock was set back by %s waits as long as was said',
  async (_how, ms) => {
    {
      await using core = await startCore(dir);
      await core.approvals.ask(question);
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - ms });
    await using core = await startCore(dir);
    const [restored] = await core.approvals.restore();
    const begun = performance.now();
    const late = sleep(20 * expiresInMs, 'it waits on', { ref: false });
    const ended = restored?.verdict(new AbortController().signal).catch((error: Error) => error);
    expect(await Promise.race([ended, late])).toMatchObject({ code: 'approval-expired' });
    expect(performance.now() - begun).toBeGreaterThan(expiresInMs / 2);
  },
);
