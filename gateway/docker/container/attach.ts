import type { Socket } from 'node:net';
import type Docker from 'dockerode';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';

/** The stdin, stdout and stderr of a created container, attached before its start so that no byte is lost. */
export function attach(container: Docker.Container, signal: AbortSignal): Promise<Socket> {
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
