import type { Plan } from '../../src/plan.ts';
import { Execution } from '../execution/execution.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';

/** Of a command that has a workspace and is not limited. */
export const plan = {
  ...{ agent: 'coder', image: { reference: 'i', id: 'i' }, uid: 1, gid: 1, network: 'none', timeoutMs: 0 },
  ...{ limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 } },
  mounts: [{ kind: 'bind', source: '/srv', target: '/app' }],
} as unknown as Plan;

export function execution(): Execution {
  const wiring = { stdio: ['null', 'pipe', 'pipe'], ignored: [] } as const;
  const record = { id: 'x', state: 'received', receivedAt: 0 } as ExecutionRecord;
  return new Execution(record, { wiring, hostLabels: {} }, () => {});
}
