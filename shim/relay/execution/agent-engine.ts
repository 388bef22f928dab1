import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { type AgentContainer, agentLabel } from '../../../src/agent-container.ts';
import type { Identity } from '../../../src/command.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import {
  type ContainerFinder,
  createContainerFinder,
  type FoundContainer,
  type IsAwake,
  type Whose,
} from './find-container.ts';
import { findMountpoint, type VolumeFinder } from './find-mountpoint.ts';
import { lastWords } from './last-words.ts';
import { localEngine } from './local-engine.ts';
import { type RunState, setContainers } from './set-containers.ts';

/** What the relay needs from the engine of its own host. */
export interface AgentEngine {
  /**
   * Starts an init in the agent's container as the given user; resolves with the attached stream. Rejects with
   * `host-lost`, with `agent-ambiguous`, or with the signal's reason.
   */
  readonly startInit: (
    container: AgentContainer,
    user: Identity,
    signal: AbortSignal,
  ) => Promise<StartedInit>;
  /** Starts the agent's way out there; rejects like `startInit`. */
  readonly startWayOut: (
    container: AgentContainer,
    user: Identity,
    signal: AbortSignal,
  ) => Promise<StartedWayOut>;
  /** Takes 3 s at most. */
  readonly look: (container: AgentContainer) => Promise<ContainerState>;
  /**
   * Pauses, continues or kills the agent's containers, if they run. Rejects with a line for people if one was not seen
   * to be so, after 3 s at most; the others are.
   */
  readonly set: (whose: Whose, state: RunState) => Promise<void>;
  /** Takes 3 s at most. */
  readonly awake: () => Promise<IsAwake>;
}

export interface ContainerState {
  readonly running: boolean;
  /** Why the container cannot be used now; empty if it can. */
  readonly problem: string;
}

export interface StartedInit {
  readonly stream: Duplex;
  /** The container's name. */
  readonly container: string;
  /** Why the init never answered, if the engine can tell; else empty. */
  readonly explain: () => Promise<string>;
}

export interface StartedWayOut {
  /** The line that it ended with. Never rejects. */
  readonly said: Promise<string>;
}

const callTimeoutMs = 3000;
const init = '/clawrden/bin/.init';
/** By its own name. */
const wayOut = '/clawrden/bin/.shim';

/** `url` is `unix:///path`; `taken` are the containers that relay.yaml names. */
export function openAgentEngine(url: string, taken: readonly string[] = []): AgentEngine & VolumeFinder {
  const docker = localEngine(url);
  const finder = createContainerFinder(docker, taken);
  const held = new Set<string>();
  type Start<Started> = (found: FoundContainer, user: Identity, signal: AbortSignal) => Promise<Started>;
  const starting =
    <Started>(start: Start<Started>) =>
    async (container: AgentContainer, user: Identity, signal: AbortSignal): Promise<Started> => {
      try {
        return await start(await finder.one(container, signal), user, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw error instanceof ClawrdenError
          ? error
          : new ClawrdenError(isMissing(error) ? 'needs-agent' : 'host-lost', describe(error, container));
      }
    };
  return {
    startInit: starting(startInit),
    startWayOut: starting(startWayOut),
    look: (container) =>
      look(finder, container).catch((error: unknown) => ({
        running: false,
        problem: describe(error, container),
      })),
    set: async (whose, state) => {
      try {
        await setContainers({ finder, held }, whose, state, AbortSignal.timeout(callTimeoutMs));
      } catch (error) {
        throw new Error(describe(error, whose.container), { cause: error });
      }
    },
    awake: () => finder.awake(AbortSignal.timeout(callTimeoutMs)),
    mountpoint: (volume, signal) => findMountpoint(docker, volume, signal),
  };
}

async function look(finder: ContainerFinder, which: AgentContainer): Promise<ContainerState> {
  const abortSignal = AbortSignal.timeout(callTimeoutMs);
  const { name, container } = await finder.one(which, abortSignal);
  const { State } = await container.inspect({ abortSignal });
  if (State.Paused) return { running: true, problem: `container ${name} is paused` };
  return { running: State.Running, problem: State.Running ? '' : notRunning(name) };
}

async function startInit(
  { name, container }: FoundContainer,
  user: Identity,
  signal: AbortSignal,
): Promise<StartedInit> {
  const { exec, stream } = await startExec(container, init, user, true, signal);
  return { stream, container: name, explain: () => explain(exec, name) };
}

/** It ends with its connection to the relay's socket. */
async function startWayOut(
  { container }: FoundContainer,
  user: Identity,
  signal: AbortSignal,
): Promise<StartedWayOut> {
  const { stream } = await startExec(container, wayOut, user, false, signal);
  return { said: lastWords(stream) };
}

async function startExec(
  container: Docker.Container,
  program: string,
  { uid, gid }: Identity,
  input: boolean,
  abortSignal: AbortSignal,
) {
  const exec = await container.exec({
    Cmd: [program],
    User: `${uid}:${gid}`,
    WorkingDir: '/',
    AttachStdin: input,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    abortSignal,
  });
  const how = { hijack: true, stdin: input, Detach: false, Tty: false, abortSignal };
  return { exec, stream: await exec.start(how) };
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

function describe(error: unknown, which: AgentContainer): string {
  if (error instanceof ClawrdenError) return error.message;
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  const name = 'name' in which ? which.name : `with the label ${agentLabel}=${which.agent}`;
  if (isMissing(error)) return `there is no container ${name} on this agent host`;
  if (statusCode === 409) return notRunning(name);
  return `the agent host's engine does not answer: ${message ?? String(error)}`;
}

/** No container has that name: the agent runs in something else, in a sandbox for one. */
function isMissing(error: unknown): boolean {
  return (error as { statusCode?: number }).statusCode === 404;
}

function notRunning(container: string): string {
  return `container ${container} is not running`;
}
