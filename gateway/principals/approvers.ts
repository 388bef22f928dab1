import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Revocations } from '../control/revocations.ts';
import type { ApproverRight, Approvers } from '../ports/approvers.ts';
import type { Right } from '../ports/principal.ts';
import type { SignedIn } from '../ports/signed-in.ts';
import type { Links } from './links.ts';
import type { People } from './people.ts';
import { createSees } from './sees.ts';

export interface ApproversParts {
  readonly people: Pick<People, 'find'>;
  readonly revocations: Pick<Revocations, 'epochOf'>;
  readonly links: Pick<Links, 'personOf' | 'list'>;
  /** Undefined if gateway.yaml names no provider. */
  readonly signIns?: Pick<SignedIn, 'of'> | undefined;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
}

interface Given {
  readonly rights: readonly Right[];
  readonly since: number;
}

const begin = 'person:';

/** Only people answer questions, each for the agents of its scopes. */
export function createApprovers(parts: ApproversParts): Approvers {
  const { people, revocations, links, signIns, agents } = parts;

  function signedIn(principal: string) {
    const found = principal.startsWith(begin)
      ? signIns?.of(principal.slice(begin.length), 'isOver')
      : undefined;
    return found !== undefined && 'value' in found ? found.value : undefined;
  }

  function givenTo(principal: string): Given | undefined {
    const person = people.find(principal.startsWith(begin) ? principal.slice(begin.length) : '');
    return person === undefined ? signedIn(principal) : { rights: [person], since: person.since };
  }

  /** A subject of the provider may be linked to a person, as the person of that name is. */
  function personOf(principal: string): string {
    const person = signedIn(principal);
    const subject = person === undefined ? principal : `oidc:${person.subject}`;
    const linked = links.personOf(subject);
    return linked === subject ? links.personOf(principal) : linked;
  }

  function isNamed(principal: string): boolean {
    if (signedIn(principal) !== undefined) return true;
    const own = personOf(principal);
    return links
      .list()
      .some((link) => link.principal.startsWith('oidc:') && personOf(link.principal) === own);
  }

  return {
    rightOf: (principal, agent) => {
      const given = givenTo(principal);
      if (given === undefined) return undefined;
      const name = principal.slice(begin.length);
      const sees = ({ scope }: Right) => createSees({ kind: 'person', name, scope }, agents).agent(agent);
      const highest = highestOf(given.rights.filter(sees));
      if (highest === undefined) return undefined;
      return { role: highest, stamp: `${given.since}/${revocations.epochOf(principal)}` };
    },
    personOf,
    ...(signIns !== undefined && { isNamed }),
  };
}

/** Of those that may answer questions. */
function highestOf(rights: readonly Right[]): ApproverRight['role'] | undefined {
  const roles = rights.map(({ role }) => role);
  return (['admin', 'operator', 'approver'] as const).find((role) => roles.includes(role));
}
