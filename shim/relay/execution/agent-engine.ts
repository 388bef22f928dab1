import type { Duplex } from 'node:stream';
import Docker from 'dockerode';
import type { Identity } from '../../../src/command.ts';
import { ClawrdenError } from '../../../src/errors.ts';

/** What the relay needs from the engine of its own host. */
export interface AgentEngine {
  /**
   * Starts an init in the agent's container as the given user; resolves with the attached stream. Rejects with
   * `host-lost`, or with the signal's reason.
   */
  readonly startInit: (container: string, user: Identity, signal: AbortSignal) => Promise<StartedInit>;
  /** Takes 3 s at most. */
  readonly look: (container: string) => Promise<ContainerState>;
  /** Pauses, continues or kills the container if it runs. Rejects with a line for people, after 3 s at most. */
  readonly set: (container: string, state: 'running' | 'paused' | 'killed') => Promise<void>;
}

export interface ContainerState {
  readonly running: boolean;
  /** Why the container cannot be used now; empty if it can. */
  readonly problem: string;
}

export interface StartedInit {
  readonly stream: Duplex;
  /** Why the init never answered, if the engine can tell; else empty. */
  readonly explain: () => Promise<string>;
}

const callTimeoutMs = 3000;
/** Docker's statuses for "it is already so" and "it does not exist". */
const nothingToDo: ReadonlySet<unknown> = new Set([304, 404, 409]);
const init = '/clawrden/bin/.init';

/** `url` is `unix:///path`. */
export function openAgentEngine(url: string): AgentEngine {
  const docker = new Docker({ socketPath: new URL(url).pathname });
  return {
    startInit: async (container, user, signal) => {
      try {
        return await startInit(docker, container, user, signal);
      } catch (error) {
        throw signal.aborted ? signal.reason : new ClawrdenError('host-lost', describe(error, container));
      }
    },
    look: (container) =>
      look(docker, container).catch((error: unknown) => ({
        running: false,
        problem: describe(error, container),
      })),
    set: async (container, state) => {
      try {
        await setState(docker, container, state);
      } catch (error) {
        throw new Error(describe(error, container), { cause: error });
      }
    },
  };
}

/**
 * The container of this name. An engine also takes the beginning of an id for one, and `cafe` may be an agent's name:
 * here only an id that is as long as Docker prints it counts.
 */
async function named(docker: Docker, name: string, abortSignal: AbortSignal): Promise<Docker.Container> {
  if (!/^[0-9a-f]{1,64}$/.test(name)) return docker.getContainer(name);
  const { Id, Name } = await docker.getContainer(name).inspect({ abortSignal });
  const isMeant = Name === `/${name}` || (name.length >= printedIdLength && Id.startsWith(name));
  if (!isMeant) throw Object.assign(new Error(`no container is named ${name}`), { statusCode: 404 });
  return docker.getContainer(Id);
}

const printedIdLength = 12;

async function setState(docker: Docker, name: string, state: 'running' | 'paused' | 'killed'): Promise<void> {
  const abortSignal = AbortSignal.timeout(callTimeoutMs);
  try {
    const container = await named(docker, name, abortSignal);
    if (state === 'paused') await container.pause({ abortSignal });
    else if (state === 'killed') await container.kill({ abortSignal });
    else if ((await container.inspect({ abortSignal })).State.Paused)
      await container.unpause({ abortSignal });
  } catch (error) {
    if (!nothingToDo.has((error as { statusCode?: number }).statusCode)) throw error;
  }
}

async function look(docker: Docker, container: string): Promise<ContainerState> {
  const abortSignal = AbortSignal.timeout(callTimeoutMs);
  const { State } = await (await named(docker, container, abortSignal)).inspect({ abortSignal });
  if (State.Paused) return { running: true, problem: `container ${container} is paused` };
  return { running: State.Running, problem: State.Running ? '' : notRunning(container) };
}

async function startInit(
  docker: Docker,
  container: string,
  { uid, gid }: Identity,
  abortSignal: AbortSignal,
): Promise<StartedInit> {
  const exec = await (await named(docker, container, abortSignal)).exec({
    Cmd: [init],
    User: `${uid}:${gid}`,
    WorkingDir: '/',
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    abortSignal,
  });
  const stream = await exec.start({ hijack: true, stdin: true, Detach: false, Tty: false, abortSignal });
  return { stream, explain: () => explain(exec, container) };
}

async function explain(exec: Docker.Exec, container: string): Promise<string> {
  try {
    const { ExitCode } = await exec.inspect({ abortSignal: AbortSignal.timeout(callTimeoutMs) });
    if (ExitCode !== 126 && ExitCode !== 127) return '';
    return `${init} cannot be started in container ${container}: is the agent's jail mounted at /clawrden/bin?`;
  } catch {
    return '';
  }
}

function describe(error: unknown, container: string): string {
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode === 404) return `there is no container ${container} on this agent host`;
  if (statusCode === 409) return notRunning(container);
  return `the agent host's engine does not answer: ${message ?? String(error)}`;
}

function notRunning(container: string): string {
  return `container ${container} is not running`;
}
