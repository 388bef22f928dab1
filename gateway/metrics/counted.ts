import type { AuditLog } from '../audit/audit-log.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { Metric } from '../ports/metrics.ts';
import { createAppendTimes } from './append-times.ts';
import { createExecutionCounts } from './execution-counts.ts';
import { createLoopDelay } from './loop-delay.ts';
import { createStartTimes, type StartTimes } from './start-times.ts';

/** What is counted from the start on: of executions, of the audit, of engines, of the process. */
export interface Counted extends Disposable {
  readonly watchAudit: (audit: AuditLog) => AuditLog;
  readonly watchRecorder: (recorder: Recorder) => Recorder;
  readonly watchEngine: StartTimes['watch'];
  readonly metrics: () => readonly Metric[];
}

export function createCounted(): Counted {
  const [executions, appends] = [createExecutionCounts(), createAppendTimes()];
  const [starts, loop] = [createStartTimes(), createLoopDelay()];
  return {
    watchAudit: appends.watch,
    watchRecorder: executions.watch,
    watchEngine: starts.watch,
    metrics: () => [executions, starts, appends, loop].flatMap((each) => each.metrics()),
    [Symbol.dispose]: () => loop[Symbol.dispose](),
  };
}
