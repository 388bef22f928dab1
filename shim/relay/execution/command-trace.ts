import { hasFailed, type Outcome } from '../../../src/outcome.ts';
import type { Span } from '../../../src/traces/span.ts';
import type { SpanExporter } from '../../../src/traces/span-exporter.ts';
import { newSpanId, newTraceId, toTraceparent } from '../../../src/traces/trace-context.ts';

/** The steps of a command at a relay, in order; those from `running` to `ended` only of one that runs here. */
export type Mark = 'received' | 'called' | 'running' | 'started' | 'ended' | 'answered';

/** When a command reached each step here. The trace begins with it: what an agent says of a trace counts for nothing. */
export interface CommandTrace {
  readonly mark: (mark: Mark) => void;
  /** For the gateway, whose span is below that of the call to it. */
  readonly traceparent: string;
  /** Tells a collector of it, which has ended. */
  readonly tell: (about: {
    readonly agent: string;
    readonly executionId: string;
    readonly outcome: Outcome;
  }) => void;
}

type Times = Readonly<Partial<Record<Mark, number>>>;

/** `began`: milliseconds since 1970. */
export function startCommandTrace(exporter: SpanExporter, began: number): CommandTrace {
  const [traceId, root, call] = [newTraceId(), newSpanId(), newSpanId()];
  const ahead = Date.now() - performance.now();
  const times: Partial<Record<Mark, number>> = {};
  const span = (spanId: string, parentId: string, name: string, startMs: number, endMs: number): Span => ({
    ...{ traceId, spanId, parentId, name, startMs, endMs, attributes: {}, failed: false },
    kind: spanId === root ? 'server' : spanId === call ? 'client' : 'internal',
  });

  return {
    mark: (mark) => {
      times[mark] ??= performance.now() + ahead;
    },
    traceparent: toTraceparent({ traceId, spanId: call, sampled: true }),
    tell: ({ agent, executionId, outcome }) => {
      const end = performance.now() + ahead;
      const attributes = {
        ...{ 'clawrden.execution': executionId, 'clawrden.agent': agent },
        'clawrden.outcome': outcome.kind,
      };
      exporter.add([
        { ...span(root, '', 'command', began, end), attributes, failed: hasFailed(outcome) },
        ...stepsOf(times, began, end).map(([name, from, to]) =>
          span(name === 'gateway' ? call : newSpanId(), root, name, from, to),
        ),
      ]);
    },
  };
}

function stepsOf(
  times: Times,
  began: number,
  end: number,
): (readonly [name: string, from: number, to: number])[] {
  const { received, called, running, started, ended, answered } = times;
  const steps = [
    ['shim', began, received],
    ['gateway', called, answered],
    ['mirror start', running, started],
    ['mirror run', started, ended],
    ['answer', answered, end],
  ] as const;
  return steps.flatMap(([name, from, to]) =>
    from === undefined || to === undefined ? [] : [[name, from, to] as const],
  );
}
