import { readFile } from 'node:fs/promises';
import type { HomeWorkspace } from './gateway-config.ts';
import type { RelayConfig } from './relay-config.ts';
import {
  type AgentPlaces,
  listedPlaces,
  parseTold,
  type ToldAgent,
  toldPath,
  toldPlaces,
} from './told-agents.ts';

/** An agent as the programs beside its relay find it. */
export interface KnownAgent {
  readonly places: AgentPlaces;
  /** As the gateway told it. */
  readonly workspace?: HomeWorkspace;
  readonly wayOut?: NonNullable<ToldAgent['wayOut']>;
  /** All that the gateway told of. */
  readonly told: readonly ToldAgent[];
}

/** What the relay was told last. Empty if it never was; rejects if the file cannot be read or is damaged. */
export async function readTold(state: string): Promise<readonly ToldAgent[]> {
  try {
    return parseTold(await readFile(toldPath(state), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** `undefined` if neither relay.yaml nor the gateway named such an agent. Rejects as `readTold` does. */
export async function findAgent(
  config: Pick<RelayConfig, 'agents' | 'state'>,
  name: string,
): Promise<KnownAgent | undefined> {
  const told = await readTold(config.state);
  const own = told.find((agent) => agent.name === name);
  const listed = config.agents.find((agent) => agent.name === name);
  const { workspace, wayOut } = own ?? {};
  const rest = { told, ...(workspace && { workspace }), ...(wayOut && { wayOut }) };
  if (listed !== undefined) return { places: listedPlaces(config, listed), ...rest };
  return own && { places: toldPlaces(config, own), ...rest };
}
