import { type Duplex, duplexPair } from 'node:stream';
import { InitSession } from '../../../src/init-client/init-session.ts';
import type { Engine, Ghost, GhostPurpose, GhostShape } from '../../ports/engine.ts';

/** A ghost whose init waits at the other end of a pipe, with a record of what was done to it. */
export interface WaitingGhost extends Ghost {
  /** The init's end of the stream. */
  readonly init: Duplex;
  readonly did: string[];
}

export function waitingGhost(containerId: string): WaitingGhost {
  const [ours, init] = duplexPair();
  const session = new InitSession(ours);
  const did: string[] = [];
  const end = (how: string) => async () => {
    did.push(how);
    session.destroy();
  };
  const destroy = () => end('destroy')().then(() => true);
  const none = () => Promise.reject(new Error('it is no session'));
  const more = { execInit: none, processorMs: none };
  return { containerId, session, init, did, claim: () => {}, release: end('release'), destroy, ...more };
}

/** An engine that has every image and starts such ghosts after a while, unless told otherwise. */
export type GhostlyEngine = { -readonly [Key in keyof Engine]: Engine[Key] } & {
  readonly started: {
    readonly ghost: WaitingGhost;
    readonly shape: GhostShape;
    readonly purpose: GhostPurpose;
  }[];
};

export function ghostlyEngine(name: string, startMs = 0): GhostlyEngine {
  const engine: GhostlyEngine = {
    started: [],
    startGhost: async (shape, purpose) => {
      await new Promise((resolve) => setTimeout(resolve, startMs));
      const ghost = waitingGhost(`${name}-${engine.started.length}`);
      engine.started.push({ ghost, shape, purpose });
      return ghost;
    },
    inspectImage: async (reference) => ({ id: `id:${reference}`, env: [], envHash: 'none', volumes: [] }),
    pullImage: async () => {},
    ping: async () => {},
    removeStrays: async () => 0,
    watch: async () => {},
    close: () => {},
  };
  return engine;
}
