import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Checked, Refused } from '../ports/authentication.ts';
import type { PrincipalOperations } from '../ports/known-principals.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { Principals } from './open-principals.ts';

type Parts = Pick<Principals, 'people' | 'links' | 'apiTokens' | 'revocations' | 'signIns'> & {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
};

interface Revoked {
  readonly name: string;
  readonly by: Principal;
  readonly reason: string;
}

export function createPrincipalOperations(parts: Parts): PrincipalOperations {
  const { people, links, apiTokens, signIns } = parts;
  // An earlier version let a person here have the name of one of the provider's.
  const isOfProvider = (name: string) => signIns?.isName(name) === true && people.find(name) === undefined;
  return {
    people: () => [...people.list(), ...(signIns?.list() ?? [])],
    setPerson: async (wanted, by) =>
      isOfProvider(wanted.name) ? ofProvider(wanted.name) : people.set(wanted, principalName(by)),
    removePerson: async (name, by, reason) =>
      isOfProvider(name) ? ofProvider(name) : people.remove(name, principalName(by), reason),
    links: links.list,
    link: (wanted, by) => links.link(wanted, principalName(by)),
    unlink: (wanted, by) => links.unlink(wanted, principalName(by)),
    tokens: apiTokens.list,
    createToken: (wanted, by) => apiTokens.create(wanted, principalName(by)),
    rotateToken: (name, overlapMs, by) => apiTokens.rotate(name, overlapMs, principalName(by)),
    removeToken: (name, by, reason) => apiTokens.remove(name, principalName(by), reason),
    revoke: ({ kind, name }, by, reason) => revokers[kind]({ name, by, reason }, parts),
  };
}

const revokers: Record<Principal['kind'], (revoked: Revoked, parts: Parts) => Promise<Checked<true>>> = {
  relay: async ({ name, by, reason }, { agents, revocations }) => {
    const principal = `relay:${name}`;
    const isNamed = [...agents().values()].some((agent) => agent.relay === name);
    // Its agents may be gone from gateway.yaml, and its certificate still counts. A name that was mistyped is refused.
    if (!isNamed && !(await revocations.wasEnrolled(principal)))
      return {
        refused: `no agent in gateway.yaml has the relay ${name}, and none of that name was enrolled`,
      };
    await revocations.revoke(principal, by, reason);
    return { value: true };
  },
  person: async ({ name, by, reason }, { people, revocations, signIns }) => {
    if (signIns?.isName(name)) {
      // Also if it cannot be kept: it is in force.
      const faults = await Promise.allSettled([
        revocations.revoke(`person:${name}`, by, reason),
        signIns.forget(name),
      ]);
      throwFirst(faults);
      return { value: true };
    }
    return people.putOut(name, () => revocations.revoke(`person:${name}`, by, reason));
  },
  program: (revoked, parts) => removeTokens('program', revoked, parts),
  agent: (revoked, parts) => removeTokens('agent', revoked, parts),
};

function ofProvider(name: string): Refused {
  return {
    refused: `${name} is a person of the provider, whose groups say what it may do; \`clawrden revoke person:${name}\` ends its certificates and sessions`,
  };
}

async function removeTokens(
  kind: 'program' | 'agent',
  { name, by, reason }: Revoked,
  { apiTokens }: Parts,
): Promise<Checked<true>> {
  const its = apiTokens.list().filter(({ principal }) => principal.kind === kind && principal.name === name);
  if (its.length === 0) return { refused: `there is no API token of ${kind} ${name}` };
  const removed = its.map(({ name: token }) => apiTokens.remove(token, principalName(by), reason));
  throwFirst(await Promise.allSettled(removed));
  return { value: true };
}

/** Each step of a revocation is taken, whatever becomes of the others: each is in force before it is kept. */
function throwFirst(steps: readonly PromiseSettledResult<unknown>[]): void {
  for (const step of steps) if (step.status === 'rejected') throw step.reason;
}
