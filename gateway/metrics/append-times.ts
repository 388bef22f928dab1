import type { AuditLog } from '../audit/audit-log.ts';
import type { Metric } from '../ports/metrics.ts';
import { createHistogram } from './histogram.ts';

/** How long what waits for the audit waits for it. */
export interface AppendTimes {
  readonly watch: (audit: AuditLog) => AuditLog;
  readonly metrics: () => readonly Metric[];
}

export function createAppendTimes(): AppendTimes {
  const seconds = createHistogram();
  return {
    watch: (audit) => ({
      ...audit,
      append: async (record) => {
        const begin = performance.now();
        await audit.append(record);
        seconds.add((performance.now() - begin) / 1000);
      },
    }),
    metrics: () => [
      {
        ...{ name: 'clawrden_audit_append_seconds', type: 'histogram' },
        help: 'How long records of the audit took until they were on the disk.',
        samples: seconds.samples({}),
      },
    ],
  };
}
