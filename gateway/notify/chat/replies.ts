/** Replies that are on their way. A person's answer does not wait until another one has been told. */
export interface Replies {
  /** Dropped if too many are on their way: what was decided is in the message in any case. */
  readonly send: (reply: () => Promise<unknown>) => void;
}

const atOnce = 32;

export function createReplies(failed: (error: unknown) => void): Replies {
  let open = 0;
  return {
    send: (reply) => {
      if (open >= atOnce) return;
      open += 1;
      reply()
        .catch(failed)
        .finally(() => {
          open -= 1;
        });
    },
  };
}
