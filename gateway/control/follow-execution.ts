import type { AuditLog } from '../audit/audit-log.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { Followed } from '../ports/followed-output.ts';
import { type Principal, principalName } from '../ports/principal.ts';

/** Records that the principal reads along; undefined if no open execution has this id. Throws `audit-unwritable`. */
export async function followExecution(
  {
    ledger,
    audit,
  }: { readonly ledger: Pick<Ledger, 'executions'>; readonly audit: Pick<AuditLog, 'append'> },
  id: string,
  by: Principal,
): Promise<Followed | undefined> {
  const execution = ledger.executions().find(({ record }) => record.id === id);
  if (execution === undefined) return undefined;
  const { caller, agent } = execution.record;
  await audit.append({ type: 'watch', execution: id, caller, agent, by: principalName(by) });
  return { agent, output: execution.output.recent, outcome: execution.outcome };
}
