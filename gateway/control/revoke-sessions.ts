import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { PrincipalOperations } from '../ports/known-principals.ts';
import type { Sessions } from '../scheduler/sessions/sessions.ts';

export interface RevokeSessionsParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly sessions: Pick<Sessions, 'end'>;
}

/** What a revoked relay, or an agent, has left in sessions ends with its other work. */
export function endingSessions(
  principals: PrincipalOperations,
  { agents, sessions }: RevokeSessionsParts,
): PrincipalOperations {
  return {
    ...principals,
    revoke: async (who, by, reason) => {
      const { kind, name } = who;
      const isIts = (agent: string) =>
        kind === 'agent' ? agent === name : kind === 'relay' && agents().get(agent)?.relay === name;
      const end = () => sessions.end(isIts, `${kind}:${name} was revoked`);
      const revoked = await principals.revoke(who, by, reason).catch((error: unknown) => {
        // It is in force, although it could not be kept.
        if (error instanceof ClawrdenError && error.code === 'audit-unwritable') end();
        throw error;
      });
      if (!('refused' in revoked)) end();
      return revoked;
    },
  };
}
