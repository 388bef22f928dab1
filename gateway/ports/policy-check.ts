import type { PolicyReport } from '../../src/policy/review/policy-report.ts';

/** A policy text that somebody wants to have checked; it need not be a policy. */
export interface PolicyText {
  readonly text: string;
  /** Errors are taken for warnings. */
  readonly force: boolean;
}

/**
 * What `policy check` says of a text. One at a time for each `name`; rejects with the signal's reason if that comes
 * first, and nothing of it runs any more then.
 */
export type CheckPolicy = (wish: PolicyText, name: string, signal: AbortSignal) => Promise<PolicyReport>;
