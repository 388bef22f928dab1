import type { Principal } from '../../ports/principal.ts';
import type { Principals } from '../../principals/open-principals.ts';

/** Who did something in a chat, as the service says. */
export interface ChatUser {
  readonly via: 'telegram' | 'slack';
  /** As `users link` names it, without the service: `4711`, `T1/U2`. */
  readonly user: string;
}

/** What tells who somebody in a chat is. */
export type ChatPeople = Pick<Principals, 'personNow' | 'links'>;

const begin = 'person:';

/** The person that the chat's user is linked to, if that one may come in now by any door. */
export async function personOf(
  { via, user }: ChatUser,
  { personNow, links }: ChatPeople,
): Promise<Principal | undefined> {
  const principal = `${via}:${user}`;
  const name = links.personOf(principal);
  if (name === principal) return undefined;
  return name.startsWith(begin) ? await personNow(name.slice(begin.length)) : undefined;
}
