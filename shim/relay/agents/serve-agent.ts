import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Identity } from '../../../src/command.ts';
import type { AgentPlaces } from '../../../src/config/told-agents.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import { Gate } from '../../../src/gate.ts';
import { createHalt } from '../control/halt.ts';
import type { SynchronizedAgent } from '../control/synchronize.ts';
import type { Mirror } from '../execution/mirror.ts';
import { AgentListener, type ListenerOptions } from '../listening/agent-listener.ts';
import { type JailFiles, prepareJail, setTools } from './jail.ts';

export interface ServeParts extends Omit<ListenerOptions, 'agent' | 'mirrors' | 'starts'> {
  readonly files: JailFiles;
  readonly log: Logger;
}

/** One agent: its socket, its jail, and what runs for it here. */
export interface ServedAgent extends SynchronizedAgent {
  /** Makes both folders and listens. Rejects with a line for people, and can be called again then. */
  readonly listen: () => Promise<void>;
  readonly setUsers: (users: readonly [Identity, ...Identity[]]) => void;
  /** Removes the socket, and ends what runs; the folders stay, because a container may have them mounted. */
  readonly remove: () => Promise<void>;
  readonly drain: () => Promise<void>;
  readonly cancelAll: (reason: ClawrdenError) => void;
}

/** More of one agent's starts would slow each other down, and another agent's. */
export const startsAtOnce = 8;

export function createServedAgent({ agent, jail, closed }: AgentPlaces, parts: ServeParts): ServedAgent {
  const { engine, log, files } = parts;
  const { name, container } = agent;
  const mirrors = new Set<Mirror>();
  const starts = new Gate(() => startsAtOnce);
  const inForce = { ...agent };
  let problem = 'its socket is not there yet';
  let listener: AgentListener | undefined;

  async function listen(): Promise<void> {
    if (closed !== undefined) await mkdir(closed, { recursive: true, mode: 0o700 });
    await prepareJail(jail, files);
    const next = new AgentListener({ ...parts, agent: inForce, mirrors, starts });
    await next.listen();
    listener = next;
    problem = '';
  }

  return {
    name,
    container,
    setTools: (tools) => setTools(jail, tools),
    halt: createHalt({ agent: name, container, mirrors, engine, log }),
    problem: () => problem,
    setUsers: (users) => {
      inForce.users = users;
    },
    listen: () =>
      listen().catch((error: Error) => {
        problem = error.message;
        throw error;
      }),
    remove: async () => {
      const reason = new ClawrdenError('canceled', `the gateway no longer names agent ${name}`);
      try {
        await listener?.close();
      } finally {
        // Also what came while the socket was closing, and even if the socket cannot be removed.
        for (const mirror of mirrors) mirror.halt(reason);
        listener?.cancelAll(reason);
      }
      // One that was never served has no jail.
      if (listener !== undefined) await setTools(jail, []);
    },
    drain: async () => await listener?.drain(),
    cancelAll: (reason) => listener?.cancelAll(reason),
  };
}
