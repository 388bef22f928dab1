import type { ExecutionState } from '../ports/execution-record.ts';

/**
 * received -> awaiting-approval -> queued -> running -> ended; every state except the first and the last may be left
 * out. After a restart a question is asked again, and if a host is lost before the start, the execution is queued
 * again.
 */
export const mayFollow: Readonly<Record<ExecutionState, ReadonlySet<ExecutionState>>> = {
  received: new Set(['awaiting-approval', 'queued', 'running', 'ended']),
  'awaiting-approval': new Set(['awaiting-approval', 'queued', 'running', 'ended']),
  queued: new Set(['queued', 'running', 'ended']),
  running: new Set(['ended']),
  ended: new Set(),
};
