import type { Logger } from 'pino';
import type { Faults } from '../../src/faults.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { PolicyFile } from './policy-file.ts';

export interface FollowPolicyParts {
  readonly audit: Pick<AuditLog, 'append'>;
  /** Called when another policy is in force. */
  readonly changed: () => void;
  readonly log: Logger;
  readonly faults: Pick<Faults, 'report'>;
}

/** Brings changes of the policy's files into force, recorded before, until `signal` aborts. */
export function followPolicy(
  file: PolicyFile,
  { audit, changed, log, faults }: FollowPolicyParts,
  signal: AbortSignal,
): void {
  const events = {
    beforeChange: ({ hash }: { readonly hash: string }, change: string) => {
      const text = `policy ${hash}${change === '' ? '' : `: ${change}`}`;
      return audit.append({ type: 'lifecycle', event: 'policy', text });
    },
    changed: ({ hash }: { readonly hash: string }) => {
      log.info({ policy: hash }, 'policy loaded');
      changed();
    },
    refused: (problem: string, what: string) => {
      log.error({ problem }, `${what} is not in force, the last good one is`);
      // If it cannot be written, the audit's health says so.
      const incident = { type: 'incident', incident: 'policy-refused', caller: '', text: problem } as const;
      audit.append(incident).catch(() => {});
    },
    faults,
  };
  file.follow(events, signal);
}
