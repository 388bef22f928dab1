import type { Socket } from 'node:net';
import type Docker from 'dockerode';
import { onAbort } from '../../../src/abort.ts';
import { InitSession } from '../../../src/init-client/init-session.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { withId } from '../engine/engine-ids.ts';
import { initDirectory, initFile } from '../init/init-layout.ts';

/** One more init in a running container of ours, ready for a plan. Rejects with the engine's error or the signal's reason. */
export async function execInit(
  container: Docker.Container,
  user: string,
  signal: AbortSignal,
): Promise<InitSession> {
  const socket = await withDeadline(
    callTimeoutMs,
    (abortSignal) => dial(container, user, abortSignal),
    signal,
  );
  using _ = onAbort(signal, () => void socket.destroy());
  const session = new InitSession(socket);
  try {
    await session.ready();
    signal.throwIfAborted();
    return session;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

async function dial(container: Docker.Container, user: string, abortSignal: AbortSignal): Promise<Socket> {
  const created = container.exec({
    Cmd: [`${initDirectory}/${initFile}`],
    User: user,
    WorkingDir: '/',
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    abortSignal,
  });
  const exec = withId(await created);
  const how = { hijack: true, stdin: true, Detach: false, Tty: false, abortSignal };
  // After the hijack it is the connection's own socket, whatever its type says.
  const socket = (await exec.start(how)) as unknown as Socket;
  if (abortSignal.aborted) socket.destroy();
  // As for an attached stream: a host that is cut off sends no end.
  socket.setKeepAlive(true, 3000);
  return socket;
}
