import type { Logger } from 'pino';
import { exitOf, hasFailed, type Outcome } from '../../src/outcome.ts';
import { openTraces, type TracesConfig } from '../../src/traces/open-traces.ts';
import type { Span } from '../../src/traces/span.ts';
import { newSpanId, newTraceId, readTraceparent } from '../../src/traces/trace-context.ts';
import type { Execution } from './execution.ts';
import { hopsOf } from './hops.ts';

export interface TellTraces {
  /** Of an execution that has ended: one span for all of it here, below its caller's, and one for each step. */
  readonly tell: (execution: Execution, outcome: Outcome) => void;
  readonly close: () => Promise<void>;
}

export function openTellTraces(
  config: TracesConfig | undefined,
  log: Pick<Logger, 'debug' | 'warn'>,
): TellTraces {
  const spans = openTraces(config, 'clawrden-gateway', log);
  return {
    tell: (execution, outcome) => {
      const { record, trace } = execution;
      const times = trace.times();
      if (times.placed !== undefined)
        log.debug({ execution: record.id, host: record.host, ms: times }, 'trace');
      if (spans !== undefined) spans.add(spansOf(execution, outcome));
    },
    close: async () => await spans?.close(),
  };
}

/** None if the caller wants none. */
function spansOf({ record, trace, context }: Execution, outcome: Outcome): Span[] {
  const caller = readTraceparent(context.traceparent);
  if (caller?.sampled === false) return [];
  const { traceId = newTraceId(), spanId: parentId = '' } = caller ?? {};
  const tookMs = trace.elapsed();
  const root: Span = {
    ...{ traceId, spanId: newSpanId(), parentId, name: 'execution', kind: 'server' },
    ...{ startMs: trace.beganAt, endMs: trace.beganAt + tookMs },
    attributes: attributesOf(record, outcome),
    failed: hasFailed(outcome),
  };
  const hops = hopsOf(trace.times(), tookMs);
  const steps = hops.map(({ name, from, to }): Span => {
    const [startMs, end] = [trace.beganAt + from, trace.beganAt + to];
    const place = { traceId, spanId: newSpanId(), parentId: root.spanId, name, kind: 'internal' } as const;
    return { ...place, startMs, endMs: end, attributes: {}, failed: false };
  });
  return [root, ...steps];
}

/** Nothing that an agent wrote: what it asked for stands in the history, for those who may see that. */
function attributesOf(record: Execution['record'], outcome: Outcome): Span['attributes'] {
  const { id, agent, caller, decision, rule, strategy, host } = record;
  const reason = 'reason' in outcome ? { 'clawrden.reason': outcome.reason } : {};
  return {
    ...{ 'clawrden.execution': id, 'clawrden.agent': agent, 'clawrden.caller': caller },
    ...{ 'clawrden.decision': decision, 'clawrden.rule': rule, 'clawrden.strategy': strategy },
    ...{ 'clawrden.host': host, 'clawrden.outcome': outcome.kind, ...reason },
    'clawrden.exit_code': exitOf(outcome).code,
  };
}
