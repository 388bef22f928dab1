/** Replies that are on their way. A person's answer does not wait until another one has been told. */
export interface Replies {
  /** Dropped, with what it would do, if too many of this user are on their way. */
  readonly send: (user: string, reply: () => Promise<unknown>) => void;
}

/** What one user writes takes nobody else's place. */
const ofOneUser = 16;
/** More than a service brings at once: others get their place however many users it has. */
const atOnce = 512;

export function createReplies(failed: (error: unknown) => void): Replies {
  const open = new Map<string, number>();
  let all = 0;
  const count = (user: string, change: 1 | -1) => {
    all += change;
    const now = (open.get(user) ?? 0) + change;
    if (now === 0) open.delete(user);
    else open.set(user, now);
  };
  return {
    send: (user, reply) => {
      if (all >= atOnce || (open.get(user) ?? 0) >= ofOneUser) return;
      count(user, 1);
      reply()
        .catch(failed)
        .finally(() => count(user, -1));
    },
  };
}
