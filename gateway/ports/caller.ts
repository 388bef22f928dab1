/**
 * Who is calling: a fact from the client certificate and the JWT, never from a message. A relay may speak for the
 * agents that gateway.yaml binds to it; an operator or an orchestrator speaks for itself.
 */
export interface Caller {
  readonly kind: 'relay' | 'operator';
  readonly name: string;
  readonly role: Role;
}

export const roles = ['relay', 'viewer', 'operator', 'admin'] as const;

export type Role = (typeof roles)[number];

/** `relay:host-7`, `operator:admin`: a caller's name in the audit and in lists. */
export function callerName(caller: Caller): string {
  return `${caller.kind}:${caller.name}`;
}
