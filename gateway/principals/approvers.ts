import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Revocations } from '../control/revocations.ts';
import type { Approvers } from '../ports/approvers.ts';
import type { Links } from './links.ts';
import type { People } from './people.ts';
import { createSees } from './sees.ts';

export interface ApproversParts {
  readonly people: Pick<People, 'find'>;
  readonly revocations: Pick<Revocations, 'epochOf'>;
  readonly links: Pick<Links, 'personOf'>;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
}

const begin = 'person:';

/** Only people answer questions, each for the agents of its scope. */
export function createApprovers({ people, revocations, links, agents }: ApproversParts): Approvers {
  return {
    rightOf: (principal, agent) => {
      const name = principal.startsWith(begin) ? principal.slice(begin.length) : '';
      const person = people.find(name);
      if (person === undefined || person.role === 'viewer') return undefined;
      const { role, scope, since } = person;
      if (!createSees({ kind: 'person', name, scope }, agents).agent(agent)) return undefined;
      return { role, stamp: `${since}/${revocations.epochOf(principal)}` };
    },
    personOf: links.personOf,
  };
}
