/**
 * Who is calling: a fact from the client certificate and the JWT, and from the gateway's own record of roles, never
 * from a message. A relay may speak for the agents that gateway.yaml binds to it; everybody else speaks for itself.
 */
export interface Principal extends Right {
  readonly kind: PrincipalKind;
  readonly name: string;
  /**
   * More rights, of a person to whom several groups of its provider give one each. A call needs one right that permits
   * it by itself: the role of one never counts with the scope of another.
   */
  readonly also?: readonly Right[];
}

export interface Right {
  readonly role: Role;
  /** To which agents it may do what its role allows. */
  readonly scope: Scope;
}

export const principalKinds = ['relay', 'person', 'program', 'agent'] as const;

export type PrincipalKind = (typeof principalKinds)[number];

/** What a person may be, each with all that the one before it may. */
export const ladder = ['viewer', 'approver', 'operator', 'admin'] as const;

export const roles = ['relay', 'agent', 'orchestrator', ...ladder] as const;

export type Role = (typeof roles)[number];

/** Labels that an agent must have, each with this value; without any of them it is all agents. */
export type Scope = Readonly<Record<string, string>>;

export const allAgents: Scope = {};

export function rightsOf({
  role,
  scope,
  also = [],
}: Pick<Principal, 'role' | 'scope' | 'also'>): readonly Right[] {
  return [{ role, scope }, ...also];
}

/** `relay:host-7`, `person:admin`: a principal's name in the audit and in lists. */
export function principalName({ kind, name }: Pick<Principal, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}

export function agentPrincipal(name: string): string {
  return principalName({ kind: 'agent', name });
}

const formerKind = 'operator:';

/** Before there were principals, the audit and callers of the API called a person `operator:NAME`. */
export function presentName(name: string): string {
  return name.startsWith(formerKind) ? `person:${name.slice(formerKind.length)}` : name;
}
