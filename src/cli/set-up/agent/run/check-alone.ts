import type { RelayConfig } from '../../../../config/relay-config.ts';
import type { AgentPlaces } from '../../../../config/told-agents.ts';
import { findLabelled } from '../../doctor/find-agent-container.ts';
import { refuse } from './refuse.ts';

/** Throws if a container of the agent's runs: of two, the relay could not tell in which one a mirrored command runs. */
export async function checkAlone(
  { name, container }: AgentPlaces['agent'],
  { docker: engine, agents }: RelayConfig,
): Promise<void> {
  // A name that relay.yaml gives is had by one container at a time.
  if ('name' in container) return;
  const named = agents.map((each) => each.container);
  const all = await findLabelled(name, { engine, named, check: `agent ${name}` });
  const other = all.find(({ claim }) => claim === 'own');
  if (other !== undefined)
    throw refuse(
      `container ${other.name} of agent ${name} runs, and an agent has one (agent-ambiguous)`,
      `docker stop ${other.name}, or enter it: clawrden agent shell ${name}`,
    );
}
