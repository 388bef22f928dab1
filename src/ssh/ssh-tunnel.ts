import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { SshFiles } from './ssh-arguments.ts';
import type { SshDestination } from './ssh-destination.ts';
import { SshError } from './ssh-error.ts';
import { type RunningSsh, startSsh } from './start-ssh.ts';

/**
 * Connections to an engine's socket on another machine, all over one ssh process. The first connection starts that
 * process.
 */
export interface SshTunnel {
  /** Rejects if ssh cannot log in, after 15 s at the latest. */
  readonly connect: () => Promise<Socket>;
  /**
   * ssh accepts a connection before it contacts the other end. If nothing listens there, the connection breaks
   * without a message.
   */
  readonly explain: (error: unknown) => unknown;
  /** Ends ssh, and with it every connection. */
  readonly close: () => void;
}

const broken: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

export function openSshTunnel(destination: SshDestination, files: SshFiles): SshTunnel {
  let starting: Promise<RunningSsh> | undefined;
  let running: RunningSsh | undefined;
  let closed = false;

  async function start(): Promise<RunningSsh> {
    try {
      running = await startSsh(destination, files);
      if (closed) running.end();
      return running;
    } finally {
      starting = undefined;
    }
  }

  async function current(): Promise<RunningSsh> {
    if (closed) throw new SshError('the connection was closed');
    if (running !== undefined && !running.hasEnded()) return running;
    starting ??= start();
    return await starting;
  }

  return {
    connect: async () => {
      const ssh = await current();
      try {
        return await dial(ssh);
      } catch {
        // It is about to end. The next ssh process says why, or succeeds.
        ssh.end();
        if (running === ssh) running = undefined;
        return await dial(await current());
      }
    },
    explain: (error) => (broken.has(codeOf(error)) ? noEngine(destination, error) : error),
    close: () => {
      closed = true;
      running?.end();
    },
  };
}

async function dial({ socketPath }: RunningSsh): Promise<Socket> {
  const socket = connect(socketPath);
  await once(socket, 'connect');
  return socket;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function noEngine({ host, socket }: SshDestination, cause: unknown): SshError {
  const why = `no engine answers at ${socket} on ${host}, or sshd does not let this user connect to it`;
  return new SshError(why, { cause });
}
