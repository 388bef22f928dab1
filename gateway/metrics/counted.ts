import type { AuditLog } from '../audit/audit-log.ts';
import type { Recorder } from '../execution/recorder.ts';
import type { Metric } from '../ports/metrics.ts';
import { createAppendTimes } from './append-times.ts';
import { createExecutionCounts } from './execution-counts.ts';
import { createLoopDelay } from './loop-delay.ts';

/** What is counted from the start on: of executions, of the audit, of the process. */
export interface Counted extends Disposable {
  readonly watchAudit: (audit: AuditLog) => AuditLog;
  readonly watchRecorder: (recorder: Recorder) => Recorder;
  readonly metrics: () => readonly Metric[];
}

export function createCounted(): Counted {
  const [executions, appends, loop] = [createExecutionCounts(), createAppendTimes(), createLoopDelay()];
  return {
    watchAudit: appends.watch,
    watchRecorder: executions.watch,
    metrics: () => [executions, appends, loop].flatMap((each) => each.metrics()),
    [Symbol.dispose]: () => loop[Symbol.dispose](),
  };
}
