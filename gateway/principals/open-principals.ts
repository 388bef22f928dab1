import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { openRevocations, type Revocations } from '../control/revocations.ts';
import type { Approvers } from '../ports/approvers.ts';
import type { Checked } from '../ports/authentication.ts';
import { agentPrincipal, type Principal, principalName } from '../ports/principal.ts';
import type { SignedIn, SignedInPerson, SignIns } from '../ports/signed-in.ts';
import type { Database } from '../store/database.ts';
import { type ApiTokens, openApiTokens } from './api-tokens.ts';
import { createApprovers } from './approvers.ts';
import { whyNot } from './call-rules.ts';
import { type Links, openLinks } from './links.ts';
import { hasOwnDoor } from './own-door.ts';
import { type FirstPeople, openPeople, type People } from './people.ts';

export interface PrincipalsParts {
  readonly database: Database;
  readonly audit: AuditLog;
  /** Whom the state folder names. */
  readonly first: FirstPeople;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  /** Of the people whom a provider names; absent if there is none. */
  readonly openSignIns?: ((isTaken: People['isTaken']) => Promise<SignIns>) | undefined;
}

/** Who may call, by what they show: relays and people a certificate, agents an API token, programs either. */
export interface Principals {
  readonly people: People;
  readonly apiTokens: ApiTokens;
  readonly revocations: Revocations;
  readonly links: Links;
  readonly approvers: Approvers;
  /** Undefined if gateway.yaml names no provider. */
  readonly signIns: SignIns | undefined;
  readonly personOf: (name: string, when: 'isOver' | 'hasRunOut') => PersonRights | undefined;
  /** The person of this name, if it may come in now; reads groups that are old first. */
  readonly personNow: (name: string) => Promise<Principal | undefined>;
  /** Of both kinds: until when a certificate may count; undefined if there is no such person. */
  readonly findPerson: (name: string) => { readonly until: number | undefined } | undefined;
  readonly freshen: SignedIn['freshen'];
  readonly programOf: ApiTokens['programOf'];
  /** Somebody with a certificate is given a token for its calls. */
  readonly onUsed: (peer: Pick<Principal, 'kind' | 'name'>) => void;
  /** The names of all who may run something over HTTP or by their own way out now. */
  readonly inForce: () => ReadonlySet<string>;
  readonly isRevoked: (fingerprint: string, peer: Pick<Principal, 'kind' | 'name'>) => boolean;
  /** Calls `listener` when somebody may do less than before. */
  readonly onRevoked: (listener: () => void) => void;
}

/** What a person may do now, or why nothing. */
export type PersonRights = Pick<Principal, 'role' | 'scope' | 'also'> | { readonly refused: string };

const runs = 'POST /api/v1/executions';

export async function openPrincipals(parts: PrincipalsParts): Promise<Principals> {
  const { database, audit, first, agents } = parts;
  const revocations = await openRevocations(database, audit);
  const people = await openPeople(database, audit, first, revocations);
  const apiTokens = await openApiTokens({ ...parts, hasAgent: (name) => agents().has(name) });
  const signIns = await parts.openSignIns?.(people.isTaken);
  const isPerson = (name: string) => people.find(name) !== undefined || signIns?.isName(name) === true;
  const links = await openLinks({ database, audit, isPerson, subjectOf: signIns?.subjectOf });
  const approvers = createApprovers({ people, revocations, links, signIns, agents });
  return {
    ...{ people, apiTokens, revocations, links, signIns, approvers },
    personOf: (name, when) => people.of(name, when) ?? rightsOf(signIns?.of(name, when)),
    personNow: async (name) => {
      await signIns?.freshen({ kind: 'person', name });
      const signedIn = signIns?.of(name, 'hasRunOut');
      if (signedIn !== undefined && 'value' in signedIn) return principalOf(signedIn.value);
      return people.inForce().find((each) => each.name === name);
    },
    findPerson: (name) => people.find(name) ?? signIns?.find(name),
    freshen: async (peer) => await signIns?.freshen(peer),
    programOf: apiTokens.programOf,
    onUsed: ({ kind, name }) => {
      if (kind === 'program') apiTokens.noteCertificate(name);
    },
    inForce: () => {
      const runners = [...people.inForce(), ...(signIns?.inForce() ?? []).map(principalOf)].filter(
        (each) => whyNot(each, runs) === undefined,
      );
      const own = [...agents().values()].filter(hasOwnDoor);
      const agentsThere = own.map(({ name }) => agentPrincipal(name));
      return new Set([...apiTokens.inForce(), ...runners.map(principalName), ...agentsThere]);
    },
    isRevoked: (print, peer) => revocations.isRevoked(print, principalName(peer)),
    onRevoked: (listener) => {
      for (const each of [revocations, people, apiTokens, signIns]) each?.watch(listener);
    },
  };
}

function rightsOf(checked: Checked<SignedInPerson> | undefined): PersonRights | undefined {
  if (checked === undefined || 'refused' in checked) return checked;
  const [first, ...also] = checked.value.rights;
  return { ...first, ...(also.length > 0 && { also }) };
}

function principalOf({ name, rights: [first, ...also] }: SignedInPerson): Principal {
  return { kind: 'person', name, ...first, also };
}
