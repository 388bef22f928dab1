import { findAgent, type KnownAgent } from '../../../config/known-agent.ts';
import type { RelayConfig } from '../../../config/relay-config.ts';
import { CliError } from '../../reach/cli-error.ts';
import { messageOf } from '../doctor/finding.ts';

/** An agent that the relay serves. Throws a line about the command `what` if it serves none of that name. */
export async function agentOfHost(name: string, config: RelayConfig, what: string): Promise<KnownAgent> {
  const known = await findAgent(config, name).catch((error: unknown) => {
    const toDo = 'run this as root, or as the user of the relay';
    throw new CliError(what, messageOf(error), toDo);
  });
  if (known !== undefined) return known;
  const toDo = 'see agents of gateway.yaml, and whether the relay runs';
  throw new CliError(what, `the relay was told of no agent ${name}`, toDo);
}
