import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import {
  type AgentContainer,
  agentLabel,
  doubtOf,
  type ImageFacts,
  imageFacts,
  isCalled,
  isIdOf,
  judgeLabelled,
  type Labelled,
  type ListedContainer,
  labelFilter,
  labelProblem,
  listedContainers,
  nameOf,
} from '../../../src/agent-container.ts';
import { ClawrdenError } from '../../../src/errors.ts';

export interface FoundContainer {
  readonly name: string;
  readonly container: Docker.Container;
}

/** Finds the containers of agents on one engine. */
export interface ContainerFinder {
  /** The one in which commands run. Rejects if there is none, or several. */
  readonly one: (which: AgentContainer, signal: AbortSignal) => Promise<FoundContainer>;
  /** All that run for the agent or may, the one that relay.yaml names and all that have its label. */
  readonly all: (whose: Whose, signal: AbortSignal) => Promise<readonly ConcernedContainer[]>;
  /** Looks once for all agents. It may tell of a container that does not concern the agent after all. */
  readonly awake: (signal: AbortSignal) => Promise<IsAwake>;
}

/** An agent, and where its commands run. */
export interface Whose {
  readonly agent: string;
  readonly container: AgentContainer;
}

/** Whether a container of the agent may run and is not paused. */
export type IsAwake = (whose: Whose) => boolean;

/** A running container that pause and kill are about: also one of which nobody can tell whether it is the agent's. */
export interface ConcernedContainer extends FoundContainer {
  readonly isPaused: boolean;
  /** Why it is not for this relay to halt; empty if it is. */
  readonly spared: string;
}

/** `taken`: containers that relay.yaml names. */
export function createContainerFinder(docker: Docker, taken: readonly string[]): ContainerFinder {
  const labelled = (agent: string, signal: AbortSignal) => findLabelled(docker, { agent, taken, signal });
  return {
    one: async (which, signal) => {
      if ('name' in which) return { name: which.name, container: await named(docker, which.name, signal) };
      return pick(docker, which.agent, await labelled(which.agent, signal));
    },
    all: (whose, signal) => findConcerned(docker, taken, whose, signal),
    awake: async (signal) => {
      const list = (await listRunning(docker, signal)).filter((one) => !isPaused(one));
      return (whose) =>
        list.some((one) => one.Labels?.[agentLabel] === whose.agent || isNamedFor(whose, one));
    },
  };
}

/** A container that relay.yaml names for the agent is its own, whatever its label and its image say. */
async function findConcerned(
  docker: Docker,
  taken: readonly string[],
  whose: Whose,
  signal: AbortSignal,
): Promise<readonly ConcernedContainer[]> {
  const list = await listRunning(docker, signal);
  const others = list.filter((one) => !isNamedFor(whose, one));
  const options = { agent: whose.agent, named: taken, imageOf: imagesOf(docker, signal) };
  const judged = new Map((await judgeLabelled(others, options)).map((one) => [one.id, one]));
  return list.flatMap((one): readonly ConcernedContainer[] => {
    const labelled = judged.get(one.Id);
    if (labelled === undefined && !isNamedFor(whose, one)) return [];
    const spared = labelled === undefined ? '' : whySpared(whose.agent, labelled);
    return [{ name: nameOf(one), container: docker.getContainer(one.Id), isPaused: isPaused(one), spared }];
  });
}

/** An image may say anything, and what is another agent's must not stop with this one: a person decides. */
function whySpared(agent: string, labelled: Labelled): string {
  const { claim } = labelled;
  return claim === 'own' || claim === 'unknown' ? '' : `${doubtOf(agent, labelled)}; it runs`;
}

function isNamedFor({ container }: Whose, one: ListedContainer): boolean {
  return 'name' in container && isCalled(container.name, one);
}

function isPaused({ State }: ListedContainer): boolean {
  return State === 'paused';
}

async function listRunning(docker: Docker, abortSignal: AbortSignal): Promise<readonly ListedContainer[]> {
  return listedContainers.parse(await docker.listContainers({ abortSignal }));
}

function pick(docker: Docker, agent: string, all: readonly Labelled[]): FoundContainer {
  const own = all.filter(({ claim }) => claim === 'own');
  const problem = labelProblem(agent, all);
  if (own.length > 1) throw new ClawrdenError('agent-ambiguous', problem);
  const [{ id, name } = { id: '', name: '' }] = own;
  if (all.length === 0) throw new ClawrdenError('needs-agent', problem);
  if (problem !== '' || id === '') throw new ClawrdenError('host-lost', problem);
  return { name, container: docker.getContainer(id) };
}

async function findLabelled(
  docker: Docker,
  { agent, taken, signal }: { agent: string; taken: readonly string[]; signal: AbortSignal },
): Promise<readonly Labelled[]> {
  const list = await docker.listContainers({
    filters: JSON.stringify(labelFilter(agent)),
    abortSignal: signal,
  });
  const imageOf = imagesOf(docker, signal);
  return await judgeLabelled(listedContainers.parse(list), { agent, named: taken, imageOf });
}

function imagesOf(docker: Docker, signal: AbortSignal): (id: string) => Promise<ImageFacts | undefined> {
  return async (id) => {
    try {
      return imageFacts.parse(await abortable(docker.getImage(id).inspect(), signal));
    } catch (error) {
      // One image that the engine cannot show must not keep the other containers from being halted.
      if (signal.aborted) throw error;
      return undefined;
    }
  };
}

/**
 * The container of this name. An engine also takes the beginning of an id for one, and `cafe` may be an agent's name:
 * here only an id that is as long as Docker prints it counts.
 */
async function named(docker: Docker, name: string, abortSignal: AbortSignal): Promise<Docker.Container> {
  if (!/^[0-9a-f]{1,64}$/.test(name)) return docker.getContainer(name);
  const { Id, Name } = await docker.getContainer(name).inspect({ abortSignal });
  const isMeant = Name === `/${name}` || isIdOf(name, Id);
  if (!isMeant) throw Object.assign(new Error(`no container is named ${name}`), { statusCode: 404 });
  return docker.getContainer(Id);
}
