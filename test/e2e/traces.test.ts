import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricLines } from '../http/metric-lines.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type CollectedSpan, type Collector, pathOf, startCollector } from '../stack/collector.ts';
import { freePorts } from '../stack/free-port.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  mirrored: { strategy: mirror }
rules:
  - { name: all, tools: [ghostly, mirrored], action: allow }
complete: true
`;

const waits = { timeout: 30_000, interval: 100 };

describe.skipIf(!hasLab())('traces from the shim to the workspace', () => {
  let stack: Stack;
  let collector: Collector;
  let [door, monitors] = [0, 0];
  beforeAll(async () => {
    collector = await startCollector();
    const relay = { traces: { otlp: collector.url } };
    const agents = { coder: { followed: {} } };
    [door, monitors] = (await freePorts(2)) as [number, number];
    const http = { listen: `127.0.0.1:${door}`, 'metrics-listen': `127.0.0.1:${monitors}` };
    const gateway = { ...relay, http };
    stack = await startStack(sharedLab(), { name: 'traces', policy, agents, gateway, relay });
  });
  afterAll(async () => {
    await stack?.stop();
    await collector?.[Symbol.asyncDispose]();
  });

  /** Runs a command in the agent's container; all spans of its trace, once both programs have told theirs. */
  async function traceOf(tool: string, script: string): Promise<CollectedSpan[]> {
    const before = new Set(collector.spans.map(({ traceId }) => traceId));
    await stack.agents['coder']!.exec([`/clawrden/bin/${tool}`, script]);
    const roots = () => collector.spans.filter(({ name, traceId }) => isRoot(name) && !before.has(traceId));
    await expect.poll(() => roots().length, waits).toBe(2);
    const [first, second] = roots();
    expect(second!.traceId).toBe(first!.traceId);
    return collector.spans.filter(({ traceId }) => traceId === first!.traceId);
  }

  const isRoot = (name: string) => name === 'command' || name === 'execution';

  /** Each span lies in its parent, as far as the clock tells. */
  function lie(spans: readonly CollectedSpan[]): void {
    for (const span of spans) {
      const parent = spans.find(({ spanId }) => spanId === span.parentId);
      if (parent === undefined) continue;
      expect([span.name, span.startMs >= parent.startMs - 2]).toEqual([span.name, true]);
      expect([span.name, span.endMs <= parent.endMs + 2]).toEqual([span.name, true]);
    }
  }

  test('a command in a ghost with a workspace that follows: each step of relay and gateway', async () => {
    const spans = await traceOf('ghostly', 'echo x > traced; sleep 0.2');
    lie(spans);
    const paths = spans.map((span) => pathOf(span, spans));
    const below = ' < relay/gateway < relay/command';
    const steps = ['judge', 'audit', 'lease', 'start', 'run', 'workspace out', 'workspace home'];
    expect(paths).toEqual(
      expect.arrayContaining([
        ...['relay/command', 'relay/shim < relay/command', 'relay/gateway < relay/command'],
        ...['relay/answer < relay/command', `gateway/execution${below}`],
        ...steps.map((name) => `gateway/${name} < gateway/execution${below}`),
      ]),
    );
    const [run] = spans.filter(({ name }) => name === 'run');
    expect(run!.endMs - run!.startMs).toBeGreaterThan(190);
    expect(run!.endMs - run!.startMs).toBeLessThan(10_000);
  });

  test('its container is counted as one that a command waited for', async () => {
    const text = await (await fetch(`http://127.0.0.1:${monitors}/metrics`)).text();
    const starts = metricLines(text).filter(({ name }) => name === 'clawrden_container_start_seconds_count');
    expect(starts.map(({ labels, value }) => [labels['kind'], value > 0])).toEqual([
      ['warm', false],
      ['cold', true],
      ['session', false],
    ]);
  });

  test('a mirrored command: its relay tells of its run, too', async () => {
    const spans = await traceOf('mirrored', 'exit 0');
    lie(spans);
    const paths = spans.map((span) => pathOf(span, spans));
    expect(paths).toEqual(
      expect.arrayContaining(
        ['relay/mirror start < relay/command', 'relay/mirror run < relay/command'].concat(
          'gateway/run < gateway/execution < relay/gateway < relay/command',
        ),
      ),
    );
  });
});
