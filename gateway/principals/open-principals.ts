import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { openRevocations, type Revocations } from '../control/revocations.ts';
import type { Approvers } from '../ports/approvers.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { Database } from '../store/database.ts';
import { type ApiTokens, openApiTokens } from './api-tokens.ts';
import { createApprovers } from './approvers.ts';
import { whyNot } from './call-rules.ts';
import { type Links, openLinks } from './links.ts';
import { type FirstPeople, openPeople, type People } from './people.ts';

export interface PrincipalsParts {
  readonly database: Database;
  readonly audit: AuditLog;
  /** Whom the state folder names. */
  readonly first: FirstPeople;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
}

/** Who may call, by what they show: relays and people a certificate, agents an API token, programs either. */
export interface Principals {
  readonly people: People;
  readonly apiTokens: ApiTokens;
  readonly revocations: Revocations;
  readonly links: Links;
  readonly approvers: Approvers;
  readonly personOf: People['of'];
  readonly programOf: ApiTokens['programOf'];
  /** Somebody with a certificate is given a token for its calls. */
  readonly onUsed: (peer: Pick<Principal, 'kind' | 'name'>) => void;
  /** The names of all who may run something over HTTP now. */
  readonly inForce: () => ReadonlySet<string>;
  readonly isRevoked: (fingerprint: string, peer: Pick<Principal, 'kind' | 'name'>) => boolean;
  /** Calls `listener` when somebody may do less than before. */
  readonly onRevoked: (listener: () => void) => void;
}

const runs = 'POST /api/v1/executions';

export async function openPrincipals(parts: PrincipalsParts): Promise<Principals> {
  const { database, audit, first, agents } = parts;
  const revocations = await openRevocations(database, audit);
  const people = await openPeople(database, audit, first);
  const apiTokens = await openApiTokens({ ...parts, hasAgent: (name) => agents().has(name) });
  const links = await openLinks({ database, audit, people });
  const approvers = createApprovers({ people, revocations, links, agents });
  return {
    ...{ people, apiTokens, revocations, links, approvers },
    personOf: people.of,
    programOf: apiTokens.programOf,
    onUsed: ({ kind, name }) => {
      if (kind === 'program') apiTokens.noteCertificate(name);
    },
    inForce: () => {
      const runners = people.inForce().filter((each) => whyNot(each, runs) === undefined);
      return new Set([...apiTokens.inForce(), ...runners.map(principalName)]);
    },
    isRevoked: (print, peer) => revocations.isRevoked(print, principalName(peer)),
    onRevoked: (listener) => {
      for (const each of [revocations, people, apiTokens]) each.watch(listener);
    },
  };
}
