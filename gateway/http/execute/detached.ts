import type { DetachedExecution, FinishedExecution } from '../../../src/http-api/executions.ts';
import type { Routes } from '../../../src/http-api/routes.ts';
import type { Detached } from '../../ports/detached.ts';
import { principalName } from '../../ports/principal.ts';
import type { Call } from '../add-routes.ts';
import { HttpRefused } from '../problem.ts';
import { toFinished } from './to-finished.ts';
import { toStart } from './to-start.ts';

export function wantsDetached({ request }: Call<Routes['runExecution']>): boolean {
  const wishes = String(request.headers['prefer'] ?? '').split(/[,;]/);
  return wishes.some((wish) => wish.trim().toLowerCase() === 'respond-async');
}

/** Answers as soon as it is known that it runs, or that a person is asked. Throws the refusal. */
export async function startDetached(
  detached: Detached,
  call: Call<Routes['runExecution']>,
): Promise<undefined> {
  const { caller, reply } = call;
  const { start, input } = toStart(call);
  const { executionId: id, agent } = start;
  const told = await detached.start(caller, start, input);
  if (told !== 'begun') toFinished({ id, agent }, told);
  const location = `/api/v1/executions/${id}`;
  const answer: DetachedExecution = { id };
  void reply.code(202).headers({ location, 'preference-applied': 'respond-async' }).send(answer);
}

/** What a caller who waits would have got. */
export async function detachedResult(
  detached: Detached,
  { params: { id }, caller, seen }: Call<Routes['executionResult']>,
): Promise<FinishedExecution> {
  const own = principalName(caller);
  const [result, record] = [await detached.result(own, id), await seen.warden.execution(id, own)];
  if (result === 'pending')
    throw new HttpRefused(409, `execution ${id} has not ended`, { 'retry-after': '1' });
  if (result === undefined || record === undefined)
    throw new HttpRefused(404, `nothing is kept of an execution ${id} that you started detached`);
  return toFinished({ id, agent: record.agent }, result);
}
