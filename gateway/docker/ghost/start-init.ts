import type { Socket } from 'node:net';
import type Docker from 'dockerode';
import { onAbort } from '../../../src/abort.ts';
import { InitSession } from '../../../src/init-client/init-session.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';

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

/** Attached before the start, so that the init's first frame is not lost. */
function attach(container: Docker.Container, signal: AbortSignal): Promise<Socket> {
  const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  const dial = async (abortSignal: AbortSignal): Promise<Socket> => {
    // After the hijack it is the connection's own socket, whatever its type says.
    const socket = (await container.attach({ ...options, abortSignal })) as Socket;
    if (abortSignal.aborted) socket.destroy();
    // A host that is cut off sends no end: it is noticed after 3 s of silence and ten probes, one a second.
    socket.setKeepAlive(true, 3000);
    return socket;
  };
  return withDeadline(callTimeoutMs, dial, signal);
}
