import type { Principal } from '../../ports/principal.ts';
import type { Principals } from '../../principals/open-principals.ts';

/** Who did something in a chat, as the service says. */
export interface ChatUser {
  readonly via: 'telegram' | 'slack';
  /** As `users link` names it, without the service: `4711`, `T1/U2`. */
  readonly user: string;
}

/** The person that the chat's user is linked to, if that one may come in now by any door. */
export function personOf(
  { via, user }: ChatUser,
  { people, links }: Pick<Principals, 'people' | 'links'>,
): Principal | undefined {
  const principal = `${via}:${user}`;
  const name = links.personOf(principal);
  if (name === principal) return undefined;
  return people.inForce().find((each) => `person:${each.name}` === name);
}
