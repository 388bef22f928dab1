import type { Socket } from 'node:net';

/** Where a connection of an agent's socket that asks for the way out meets who waits for it. */
export interface Doors {
  /** From its program in the agent's container; false if nobody waits for it, and then it is still its owner's. */
  readonly offer: (agent: string, socket: Socket) => boolean;
  /** Waits for one, until disposed of. */
  readonly expect: (agent: string) => Disposable & { readonly socket: Promise<Socket> };
}

export function createDoors(): Doors {
  const expected = new Map<string, (socket: Socket) => void>();
  return {
    offer: (agent, socket) => {
      const take = expected.get(agent);
      expected.delete(agent);
      take?.(socket);
      return take !== undefined;
    },
    expect: (agent) => {
      const { promise, resolve } = Promise.withResolvers<Socket>();
      expected.set(agent, resolve);
      return {
        socket: promise,
        [Symbol.dispose]: () => {
          if (expected.get(agent) === resolve) expected.delete(agent);
        },
      };
    },
  };
}
