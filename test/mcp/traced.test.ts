import { afterEach, describe, expect, test } from 'vitest';
import { openTellTraces, type TellTraces } from '../../gateway/execution/tell-traces.ts';
import { type Collector, pathOf, startCollector } from '../stack/collector.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { clients, idOf } from './clients.ts';

const foreign = { trace: '1'.repeat(32), span: '2'.repeat(16) };

describe.each(clients)('by MCP %s', (_generation, connect) => {
  let collector: Collector;
  let traces: TellTraces;
  let site: AgentSite;
  afterEach(async () => {
    await site[Symbol.asyncDispose]();
    await traces.close();
    await collector[Symbol.asyncDispose]();
  });

  test('A-271: what an agent runs is a trace of its own with its steps; what its client says of traces counts for nothing', async () => {
    collector = await startCollector();
    traces = openTellTraces({ otlp: collector.url }, { debug: () => {}, warn: () => {} });
    site = await startAgentSite(
      async () => ({ kind: 'exited', code: 0, signal: 0 }),
      {},
      {
        traced: traces.tell,
      },
    );
    // It wants no trace at all, and one that is another's.
    const headers = { traceparent: `00-${foreign.trace}-${foreign.span}-00`, tracestate: 'hunter2=1' };
    await using client = await connect(site.door.url, site.token, headers);
    const ids = [
      idOf(await client.call('execute', { program: 'job', args: ['hunter2'] })),
      idOf(await client.call('execute', { program: 'pick', args: ['two'] })),
    ];
    const roots = () => collector.spans.filter(({ name }) => name === 'execution');
    await expect.poll(() => roots().map(({ attributes }) => attributes['clawrden.execution'])).toEqual(ids);
    const [ran, denied] = roots();
    expect(ran!.attributes).toMatchObject({
      ...{ 'clawrden.caller': 'agent:coder', 'clawrden.agent': 'coder', 'clawrden.outcome': 'exited' },
      ...{ 'clawrden.host': 'build-1', 'clawrden.exit_code': '0' },
    });
    expect(denied!.attributes).toMatchObject({ 'clawrden.rule': 'no-two', 'clawrden.outcome': 'denied' });
    expect([ran!.parentId, denied!.parentId]).toEqual(['', '']);
    expect(ran!.traceId).not.toBe(denied!.traceId);
    const steps = collector.spans.filter(({ parentId }) => parentId === ran!.spanId);
    expect(steps.map((step) => pathOf(step, collector.spans))).toEqual(
      expect.arrayContaining(['gateway/judge < gateway/execution', 'gateway/audit < gateway/execution']),
    );
    expect(collector.sent()).not.toMatch(/hunter2|1{32}|2{16}/);
  });
});
