import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type CollectedSpan, type Collector, pathOf, startCollector } from '../stack/collector.ts';
import { type First, newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const [traceId, callerSpan] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const waits = { timeout: 30_000, interval: 50 };

let collector: Collector;
let gateway: RealGateway;
let relay: GatewayClient;

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startRealGateway({ keys: { traces: { otlp: collector.url } } });
  relay = await gateway.relay();
}, 120_000);
afterAll(async () => {
  relay?.close();
  await gateway?.[Symbol.asyncDispose]();
  await collector?.[Symbol.asyncDispose]();
});

/** Of one command, once its own span is there: it is told in one piece with its steps. */
async function spansOf(execution: string): Promise<CollectedSpan[]> {
  const own = () => collector.spans.find(({ attributes }) => attributes['clawrden.execution'] === execution);
  await expect.poll(own, waits).toBeDefined();
  const all = collector.spans.filter((span) => span.traceId === own()!.traceId);
  return all.filter(({ spanId, parentId }) => spanId === own()!.spanId || parentId === own()!.spanId);
}

/** As a relay that was asked to be a part of a trace. */
function traced(traceparent: string): Pick<GatewayClient, 'execute'> & GatewayClient {
  return { ...relay, execute: () => relay.execute(traceparent) };
}

async function answered(first: First, traceparent: string): Promise<string> {
  const command = newMirrored();
  const over = play(traced(traceparent), command, first, gateway.audit);
  if (first.tool === 'ask') {
    await expect.poll(() => command.planHash, waits).not.toBe('');
    const admin = await gateway.admin();
    await expect
      .poll(
        async () => (await admin.call(WardenServiceService.listApprovals, firstPage)).approvals.length,
        waits,
      )
      .toBe(1);
    const rest = { planHash: command.planHash, reason: '', grantSeconds: 0, via: 'test' };
    const answer = { id: command.approvalId, verdict: Verdict.APPROVE, ...rest };
    await admin.call(WardenServiceService.resolveApproval, answer);
    admin.close();
  }
  await over;
  return command.id;
}

const firstPage = { limit: 10, pageToken: '' };

test("a command is one span below its caller's, with a span of each step in its order", async () => {
  const id = await answered({ tool: 'ask' }, `00-${traceId}-${callerSpan}-01`);
  const spans = await spansOf(id);
  const [root, ...steps] = spans;
  expect(root).toMatchObject({
    ...{ service: 'clawrden-gateway', name: 'execution', kind: 2, failed: false },
    ...{ traceId, parentId: callerSpan },
    attributes: {
      ...{ 'clawrden.agent': 'coder', 'clawrden.caller': 'relay:host-1', 'clawrden.decision': 'ask' },
      ...{ 'clawrden.rule': 'must-ask', 'clawrden.strategy': 'mirror', 'clawrden.outcome': 'exited' },
      'clawrden.exit_code': '7',
    },
  });
  expect(steps.map((step) => pathOf(step, spans))).toEqual(
    ['judge', 'audit', 'inspect', 'ask', 'approval', 'start', 'run'].map(
      (name) => `gateway/${name} < gateway/execution`,
    ),
  );
  let at = root!.startMs;
  for (const { startMs, endMs } of steps) {
    expect(startMs).toBeGreaterThanOrEqual(at);
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    at = startMs;
  }
  expect(steps.at(-1)!.endMs).toBeLessThanOrEqual(root!.endMs + 1);
});

test('A-271: nothing that an agent wrote is in a trace', async () => {
  const args = ['--password=hunter2-argument', 'https://hunter2.example'];
  const env = [
    'LANG=hunter2-variable',
    'TRACEPARENT=00-11111111111111111111111111111111-2222222222222222-01',
  ];
  const id = await answered({ tool: 'run', args, env, output: [Buffer.from('hunter2-output\n')] }, '');
  await spansOf(id);
  const denied = await answered({ tool: 'ls', args: ['hunter2-denied'] }, '');
  const [root] = await spansOf(denied);
  expect(root!.attributes).toMatchObject({
    'clawrden.decision': 'deny',
    'clawrden.reason': 'tool-unknown',
  });
  expect(collector.sent()).not.toMatch(/hunter2|1{32}/);
});

test('a caller that wants no trace has none; one that sends nonsense has one of its own', async () => {
  const quiet = await answered({ tool: 'run' }, `00-${traceId}-${callerSpan}-00`);
  const own = await answered({ tool: 'run' }, 'nonsense');
  const [root] = await spansOf(own);
  expect(root!.parentId).toBe('');
  expect(root!.traceId).not.toBe(traceId);
  expect(collector.sent()).not.toContain(quiet);
});

test('what a collector refuses for a while comes later; it holds up no command, and an end does not wait for it', {
  timeout: 120_000,
}, async () => {
  collector.answer = 503;
  const id = await answered({ tool: 'run' }, `00-${traceId}-${callerSpan}-01`);
  await answered({ tool: 'run' }, `00-${traceId}-${callerSpan}-01`);
  collector.answer = 200;
  await spansOf(id);
  collector.answer = 503;
  await answered({ tool: 'run' }, `00-${traceId}-${callerSpan}-01`);
  relay.close();
  const began = performance.now();
  await gateway.end('SIGTERM');
  expect(performance.now() - began).toBeLessThan(30_000);
});
