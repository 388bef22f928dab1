import { z } from 'zod';
import { type Plan, planHash } from '../src/plan.ts';
import type { Approvals, Restored } from './approvals/approvals.ts';
import { type ExecuteParts, takeUp } from './execute.ts';
import type { StartContext } from './execution.ts';
import type { History } from './store/history.ts';

const contextSchema = z.object({
  wiring: z.object({
    stdio: z.tuple([z.string(), z.string(), z.string()]),
    ignored: z.array(z.number()),
    terminal: z.object({ cols: z.number(), rows: z.number() }).optional(),
  }),
  hostLabels: z.record(z.string(), z.string()),
});

/**
 * Takes up every execution that waited for a person when the last gateway ended: its caller has 30 s to come back.
 * All others that it left open have ended with it.
 */
export async function restoreWaiting(
  parts: ExecuteParts,
  approvals: Approvals,
  history: History,
): Promise<number> {
  const waiting = await approvals.restore();
  const taken = await Promise.all(waiting.map((asked) => restoreOne(parts, asked, history)));
  await history.endUnfinished(
    'the gateway ended before the command did',
    waiting.map(({ approval }) => approval.executionId),
  );
  return taken.filter(Boolean).length;
}

async function restoreOne(parts: ExecuteParts, asked: Restored, history: History): Promise<boolean> {
  const { approval, caller, context } = asked;
  const record = await history.get(caller, approval.executionId);
  if (record === undefined || record.state === 'ended') return false;
  const sealed = {
    // Written by this program and bound by its hash, which is checked here.
    plan: JSON.parse(approval.plan) as Plan,
    canonical: approval.plan,
    hash: planHash(approval.plan),
  };
  if (sealed.hash !== approval.planHash) return false;
  const execution = parts.ledger.restore(record, contextSchema.parse(JSON.parse(context)) as StartContext);
  void takeUp(parts, execution, asked, sealed);
  return true;
}
