import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Revocations } from '../control/revocations.ts';
import type { ApproverRight, Approvers } from '../ports/approvers.ts';
import type { Right } from '../ports/principal.ts';
import type { SignedIn } from '../ports/signed-in.ts';
import type { Links } from './links.ts';
import { personPrefix } from './one-person.ts';
import type { People } from './people.ts';
import { createSees } from './sees.ts';

export interface ApproversParts {
  readonly people: Pick<People, 'find'>;
  readonly revocations: Pick<Revocations, 'epochOf'>;
  readonly links: Pick<Links, 'of' | 'onePerson'>;
  /** Undefined if gateway.yaml names no provider. */
  readonly signIns?: Pick<SignedIn, 'of' | 'freshen'> | undefined;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
}

interface Given {
  readonly rights: readonly Right[];
  readonly since: number;
}

/** Only people answer questions, each for the agents of its scopes. */
export function createApprovers(parts: ApproversParts): Approvers {
  const { people, revocations, links, signIns, agents } = parts;

  function signedIn(principal: string, when: 'isOver' | 'hasRunOut' = 'isOver') {
    const found = signIns?.of(nameIn(principal), when);
    return found !== undefined && 'value' in found ? found.value : undefined;
  }

  function givenTo(principal: string): Given | undefined {
    const person = people.find(nameIn(principal));
    return person === undefined ? signedIn(principal) : { rights: [person], since: person.since };
  }

  function isNamed(principal: string): boolean {
    if (signedIn(principal) !== undefined) return true;
    const own = [...links.onePerson(principal)];
    return own.some((each) => each.startsWith('oidc:') && links.of(each) !== undefined);
  }

  return {
    rightOf: (principal, agent) => {
      const given = givenTo(principal);
      if (given === undefined) return undefined;
      const name = principal.slice(personPrefix.length);
      const sees = ({ scope }: Right) => createSees({ kind: 'person', name, scope }, agents).agent(agent);
      const highest = highestOf(given.rights.filter(sees));
      if (highest === undefined) return undefined;
      const right = { role: highest, stamp: `${given.since}/${revocations.epochOf(principal)}` };
      const isOld = people.find(name) === undefined && signedIn(principal, 'hasRunOut') === undefined;
      return isOld ? { ...right, isOld } : right;
    },
    personOf: (principal) => {
      const [first = principal] = links.onePerson(principal);
      return first;
    },
    ...(signIns !== undefined && { isNamed, freshen: (principals) => freshenAll(principals, signIns) }),
  };
}

/** Empty if it is no person's. */
function nameIn(principal: string): string {
  return principal.startsWith(personPrefix) ? principal.slice(personPrefix.length) : '';
}

async function freshenAll(
  principals: readonly string[],
  { freshen }: Pick<SignedIn, 'freshen'>,
): Promise<void> {
  const names = new Set(principals.map(nameIn));
  await Promise.all([...names].map((name) => freshen({ kind: 'person', name })));
}

/** Of those that may answer questions. */
function highestOf(rights: readonly Right[]): ApproverRight['role'] | undefined {
  const roles = rights.map(({ role }) => role);
  return (['admin', 'operator', 'approver'] as const).find((role) => roles.includes(role));
}
