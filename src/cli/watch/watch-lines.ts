import { once } from 'node:events';
import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { printJson } from '../output.ts';
import { withPlan } from '../show-approval.ts';
import { followApprovals } from './follow-approvals.ts';

/** Prints one line of JSON for each question that comes or goes, until stdout is closed. */
export async function watchLines(client: GatewayClient): Promise<void> {
  const closed = new AbortController();
  process.stdout.on('error', () => closed.abort());
  let known = new Map<string, Approval>();
  const onApprovals = async (approvals: readonly Approval[]) => {
    const now = new Map(approvals.map((approval) => [approval.id, approval]));
    for (const [id, { executionId, agent }] of known)
      if (!now.has(id)) printJson({ event: 'gone', id, executionId, agent });
    for (const [id, approval] of now)
      if (!known.has(id)) printJson({ event: 'waiting', ...withPlan(approval) });
    known = now;
    await drained(closed.signal);
  };
  const onLost = (why: string) => printJson({ event: 'lost', why });
  await followApprovals(client, { onApprovals, onLost }, closed.signal);
}

async function drained(signal: AbortSignal): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal }).catch(() => {});
}
