import type Docker from 'dockerode';
import { onAbort } from '../../../src/abort.ts';
import { InitSession } from '../../../src/init-client/init-session.ts';
import { attach } from '../container/attach.ts';
import { withDeadline } from '../engine/deadline.ts';

/** Attaches to a created container, starts it and waits for its init. Rejects with the engine's error or the signal's reason. */
export async function startInit(container: Docker.Container, signal: AbortSignal): Promise<InitSession> {
  const socket = await attach(container, signal);
  using _ = onAbort(signal, () => void socket.destroy());
  try {
    const session = new InitSession(socket);
    const ready = session.ready();
    // If the start fails, the stream ends too; the engine's answer has the reason.
    ready.catch(() => {});
    await withDeadline(Number.POSITIVE_INFINITY, (abortSignal) => container.start({ abortSignal }), signal);
    await ready;
    return session;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
