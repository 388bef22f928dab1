import type { Outcome } from '../../src/outcome.ts';
import type { Action } from '../../src/policy/policy.ts';
import type { Execution } from '../execution/execution.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { ExecutionState } from '../ports/execution-record.ts';
import type { Metric } from '../ports/metrics.ts';
import { createHistogram, type Histogram } from './histogram.ts';

/** What became of executions since the start; refused requests count too, also those that only the audit counts. */
export interface ExecutionCounts {
  readonly watch: (recorder: Recorder) => Recorder;
  readonly metrics: () => readonly Metric[];
}

const states = ['received', 'awaiting-approval', 'queued', 'running'] as const satisfies ExecutionState[];

interface Ends {
  readonly outcome: string;
  readonly reason: string;
  /** Empty if nothing was decided. */
  readonly strategy: string;
  count: number;
}

interface Counted {
  readonly decisions: Map<Action, number>;
  readonly ends: Map<string, Ends>;
  readonly times: readonly { readonly state: ExecutionState; readonly seconds: Histogram }[];
}

export function createExecutionCounts(): ExecutionCounts {
  const times = states.map((state) => ({ state, seconds: createHistogram() }));
  const counted: Counted = { decisions: new Map(), ends: new Map(), times };
  return {
    watch: (recorder) => ({
      ...recorder,
      decided: (execution, judged) => {
        const { action } = judged.decision;
        counted.decisions.set(action, (counted.decisions.get(action) ?? 0) + 1);
        return recorder.decided(execution, judged);
      },
      ended: (execution, outcome) => {
        recorder.ended(execution, outcome);
        countEnd(outcome, execution.record.strategy, counted);
        countTimes(execution, counted);
      },
      refused: async (...refusal) => {
        const outcome = await recorder.refused(...refusal);
        countEnd(outcome, '', counted);
        return outcome;
      },
    }),
    metrics: () => metricsOf(counted),
  };
}

function countEnd(outcome: Outcome, strategy: string, { ends }: Counted): void {
  const [kind, reason] = [outcome.kind, 'reason' in outcome ? outcome.reason : ''];
  const key = `${kind} ${reason} ${strategy}`;
  const end = ends.get(key) ?? { outcome: kind, reason, strategy, count: 0 };
  end.count += 1;
  ends.set(key, end);
}

function countTimes({ durations }: Execution, { times }: Counted): void {
  for (const { state, seconds } of times) {
    const ms = durations[state];
    if (ms !== undefined) seconds.add(ms / 1000);
  }
}

function metricsOf({ decisions, ends, times }: Counted): Metric[] {
  return [
    {
      ...{ name: 'clawrden_decisions_total', type: 'counter', help: 'Commands that the policy judged.' },
      samples: (['allow', 'ask', 'deny'] as const).map((action) => ({
        labels: { action },
        value: decisions.get(action) ?? 0,
      })),
    },
    {
      ...{ name: 'clawrden_executions_ended_total', type: 'counter' },
      help: 'Executions and refused requests, by outcome, reason code and strategy.',
      samples: [...ends.values()].map(({ count, ...labels }) => ({ labels, value: count })),
    },
    {
      ...{ name: 'clawrden_execution_state_seconds', type: 'histogram' },
      help: 'How long executions that have ended were in each state.',
      samples: times.flatMap(({ state, seconds }) => seconds.samples({ state })),
    },
  ];
}
