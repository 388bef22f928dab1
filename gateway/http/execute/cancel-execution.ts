import type { ExecutionView } from '../../../src/http-api/history.ts';
import type { Routes } from '../../../src/http-api/routes.ts';
import { principalName } from '../../ports/principal.ts';
import { whyNot } from '../../principals/call-rules.ts';
import type { Call } from '../add-routes.ts';
import { HttpRefused } from '../problem.ts';
import { toExecutionView } from '../views.ts';

/** Ends an execution of its caller's own or, for operators, any within their scope. */
export async function cancelExecution({
  params: { id },
  caller,
  seen: { warden },
}: Call<Routes['cancelExecution']>): Promise<ExecutionView> {
  const open = warden.running().find((record) => record.id === id);
  const record = open ?? (await warden.execution(id, ''));
  const isOthers = record?.caller !== principalName(caller);
  const operates = whyNot(caller, 'PUT /api/v1/agents/{name}/state') === undefined;
  if (record === undefined || (isOthers && !operates)) throw new HttpRefused(404, `no execution ${id}`);
  return toExecutionView((open && (await warden.cancel(id, caller))) ?? record);
}
