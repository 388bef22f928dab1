import { z } from 'zod';
import { askEngine } from '../../doctor/engine-request.ts';
import type { CallersStreams } from './callers-streams.ts';
import type { RunWish } from './read-run-options.ts';
import type { ToldEngine } from './tell-engine.ts';

export interface Followed {
  readonly engine: ToldEngine;
  /** `unix:///PATH` of the same. */
  readonly docker: string;
  readonly id: string;
  readonly wish: Pick<RunWish, 'interactive' | 'rm'>;
  readonly streams: CallersStreams;
  readonly start: () => Promise<void>;
}

const ended = z.object({ StatusCode: z.number() });

/** Starts a container with this process's descriptors. Resolves with its exit status, or with 0 if a person detached. */
export async function followContainer(followed: Followed): Promise<number> {
  const { engine, id, wish, streams, start } = followed;
  const path = `/containers/${id}`;
  const which = `stream=1&stdout=1&stderr=1${wish.interactive ? '&stdin=1' : ''}`;
  const socket = await engine.attach(`${path}/attach?${which}`);
  const exit = await engine.wait(`${path}/wait?condition=${wish.rm ? 'removed' : 'next-exit'}`);
  const connected = streams.connect(socket);
  try {
    const starting = start();
    // What it runs may write, and be sent a signal, before the engine has answered that it started.
    streams.watchSignals(
      (signal) => void starting.then(() => engine.post(`${path}/kill?signal=${signal}`)).catch(() => {}),
    );
    await starting;
    streams.resize(engine, `${path}/resize`);
    await connected;
    if (streams.hasTerminal && (await runsOn(followed))) return 0;
    return ended.parse(await exit.answer).StatusCode;
  } finally {
    exit.answer.catch(() => {});
    socket.destroy();
    streams.close();
  }
}

const state = z.object({
  RestartCount: z.number(),
  State: z.object({ Running: z.boolean(), Restarting: z.boolean() }),
});

/** Its terminal's stream ended, and it did not: somebody typed ctrl-p ctrl-q. */
async function runsOn({ docker, id }: Followed): Promise<boolean> {
  const { status, body } = await askEngine({ engine: docker }, `/containers/${id}/json`);
  if (status !== 200) return false;
  const { RestartCount, State } = state.parse(body);
  return RestartCount === 0 && State.Running && !State.Restarting;
}
