import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import {
  type AgentContainer,
  type ImageFacts,
  imageFacts,
  isIdOf,
  judgeLabelled,
  type Labelled,
  labelFilter,
  labelProblem,
  listedContainers,
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
  /** All that pause and kill act on: also one of which nobody can tell whether it is the agent's. */
  readonly all: (which: AgentContainer, signal: AbortSignal) => Promise<readonly Docker.Container[]>;
}

/** `taken`: containers that relay.yaml names. */
export function createContainerFinder(docker: Docker, taken: readonly string[]): ContainerFinder {
  const labelled = (agent: string, signal: AbortSignal) => findLabelled(docker, { agent, taken, signal });
  return {
    one: async (which, signal) => {
      if ('name' in which) return { name: which.name, container: await named(docker, which.name, signal) };
      return pick(docker, which.agent, await labelled(which.agent, signal));
    },
    all: async (which, signal) => {
      if ('name' in which) return [await named(docker, which.name, signal)];
      const found = await labelled(which.agent, signal);
      const halted = found.filter(({ claim }) => claim === 'own' || claim === 'unknown');
      return halted.map(({ id }) => docker.getContainer(id));
    },
  };
}

function pick(docker: Docker, agent: string, all: readonly Labelled[]): FoundContainer {
  const own = all.filter(({ claim }) => claim === 'own');
  const problem = labelProblem(agent, all);
  if (own.length > 1) throw new ClawrdenError('agent-ambiguous', problem);
  const [{ id, name } = { id: '', name: '' }] = own;
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
  const imageOf = async (id: string): Promise<ImageFacts | undefined> => {
    try {
      return imageFacts.parse(await abortable(docker.getImage(id).inspect(), signal));
    } catch (error) {
      // One image that the engine cannot show must not keep the other containers from being halted.
      if (signal.aborted) throw error;
      return undefined;
    }
  };
  return await judgeLabelled(listedContainers.parse(list), { agent, named: taken, imageOf });
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
