import { ClawrdenError } from '../../src/errors.ts';
import type { Grants } from '../approvals/grants.ts';
import type { Execution } from '../execution/execution.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { Grant } from '../ports/grant.ts';

export interface RevokeGrantParts {
  readonly grants: Pick<Grants, 'revoke'>;
  readonly ledger: Pick<Ledger, 'executions'>;
}

/** What waits to start by the grant is refused; what runs goes on. */
export async function revokeGrant(
  id: string,
  by: string,
  reason: string,
  { grants, ledger }: RevokeGrantParts,
): Promise<Grant | undefined> {
  const revoked = grants.revoke(id, by, reason);
  // Its first step has taken the grant away already: nothing starts by it between the two.
  const refusal = new ClawrdenError('denied-by-person', `${by} revoked the grant that it would have run by`);
  for (const execution of ledger.executions()) if (isWaiting(execution, id)) execution.stop(refusal);
  return await revoked;
}

function isWaiting({ grant, record: { state } }: Execution, id: string): boolean {
  return grant === id && state !== 'running' && state !== 'ended';
}
