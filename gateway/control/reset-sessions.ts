import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { SessionsReset } from '../ports/session-view.ts';
import type { Sessions } from '../scheduler/sessions/sessions.ts';

export interface ResetSessionsParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly audit: Pick<AuditLog, 'append'>;
}

/** Ends all sessions of an agent, once that is recorded. The next command of each gets a fresh one. */
export async function resetSessions(
  agent: string,
  by: Principal,
  reason: string,
  { agents, sessions, audit }: ResetSessionsParts,
): Promise<SessionsReset | undefined> {
  if (!agents().has(agent)) return undefined;
  const [name, place] = [principalName(by), { host: '', container: '', image: '' }];
  await audit.append({ type: 'session', agent, state: 'reset', ...place, by: name, reason });
  const ending = sessions.end((each) => each === agent, `reset by ${name}`);
  const gone = await Promise.all(ending.map((each) => each.gone));
  const left = ending.filter((_each, at) => gone[at] === false);
  return { ended: ending.length - left.length, unconfirmed: left.map(({ host }) => host) };
}
