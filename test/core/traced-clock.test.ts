import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExecute } from '../../gateway/execute.ts';
import { openTellTraces } from '../../gateway/execution/tell-traces.ts';
import { startCollector } from '../stack/collector.ts';
import { openChannel, relay, request, startCore } from './start-core.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-traced-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

test.each([
  ['back', -3_600_000],
  ['ahead', 3_600_000],
] as const)(
  'A-542 P26: a span is as long as its step was, also if the wall clock is set %s meanwhile',
  async (_way, jump) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await using collector = await startCollector();
    const traces = openTellTraces({ otlp: collector.url }, { debug: () => {}, warn: () => {} });
    await using core = await startCore(dir, async () => {
      vi.setSystemTime(Date.now() + jump);
      return { kind: 'exited', code: 0, signal: 0 };
    });
    await createExecute({ ...core, traced: traces.tell })(relay, request('run'), openChannel());
    await traces.close();
    expect(collector.spans.map(({ name }) => name)).toContain('execution');
    for (const { startMs, endMs } of collector.spans) {
      expect(endMs - startMs).toBeGreaterThanOrEqual(0);
      expect(endMs - startMs).toBeLessThan(60_000);
    }
  },
);
