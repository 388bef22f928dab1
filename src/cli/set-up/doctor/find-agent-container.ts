import {
  type AgentContainer,
  agentLabel,
  gatewayLabel,
  type ImageFacts,
  imageFacts,
  judgeLabelled,
  type Labelled,
  labelFilter,
  labelProblem,
  listedContainers,
} from '../../../agent-container.ts';
import { askEngine, type EngineAnswer } from './engine-request.ts';
import { bad, doubtful, type Finding } from './finding.ts';

export interface ContainerQuestion {
  readonly engine: string;
  /** Containers that relay.yaml names. */
  readonly named: readonly string[];
  readonly check: string;
}

/** How the engine knows an agent's container; absent if it has no such container, or several. */
export async function findAgentContainer(
  which: AgentContainer,
  question: ContainerQuestion,
): Promise<{ readonly id?: string; readonly findings: readonly Finding[] }> {
  if ('name' in which) return { id: which.name, findings: [] };
  const { agent } = which;
  const all = await findLabelled(agent, question);
  const problem = labelProblem(agent, all);
  if (problem !== '') return { findings: [bad(question.check, problem, fixOf(agent, all))] };
  const own = all.find(({ claim }) => claim === 'own');
  const others = all.filter((one) => one !== own);
  const findings = others.map((one) =>
    doubtful(question.check, labelProblem(agent, [one]), `if it is not agent ${agent}'s, use another image`),
  );
  return { ...(own && { id: own.id }), findings };
}

function fixOf(agent: string, all: readonly Labelled[]): string {
  if (all.filter(({ claim }) => claim === 'own').length > 1) return 'stop all but one (agent-ambiguous)';
  return `start it with --label ${agentLabel}=${agent}, from an image without the labels ${agentLabel} and ${gatewayLabel}`;
}

/** The running containers that carry its label. */
export async function findLabelled(
  agent: string,
  { engine, named }: ContainerQuestion,
): Promise<readonly Labelled[]> {
  const ask = (path: string): Promise<EngineAnswer> => askEngine({ engine }, path);
  const imageOf = async (id: string): Promise<ImageFacts | undefined> => {
    const { status, body } = await ask(`/images/${encodeURIComponent(id)}/json`);
    return status === 200 ? imageFacts.parse(body) : undefined;
  };
  const filters = encodeURIComponent(JSON.stringify(labelFilter(agent)));
  const { status, body } = await ask(`/containers/json?filters=${filters}`);
  if (status !== 200) throw new Error(`the engine does not list containers (${status})`);
  return await judgeLabelled(listedContainers.parse(body), { agent, named, imageOf });
}
