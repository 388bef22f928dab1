import type { KnownAgent } from '../../../config/known-agent.ts';
import { loadRelayConfig, type RelayConfig } from '../../../config/relay-config.ts';
import { findAgentContainer } from '../doctor/find-agent-container.ts';
import { bad, type Finding, good, messageOf } from '../doctor/finding.ts';
import { printFindings } from '../doctor/print-findings.ts';
import { agentOfHost } from './agent-of-host.ts';
import { checkJail } from './check-jail.ts';
import { lockedNames } from './locked-names.ts';

export interface CheckAgentOptions {
  /** relay.yaml */
  readonly config: string;
  /** Names with commas between them. */
  readonly locked?: string;
  readonly json?: boolean;
}

/** Prints what is wrong with an agent's container. Exit status 1 if anything is an error. */
export async function checkAgent(name: string, options: CheckAgentOptions): Promise<void> {
  const config = loadRelayConfig(options.config);
  const known = await agentOfHost(name, config, 'agent check');
  const findings = await checkKnown(known, config, lockedNames(options.locked, 'agent check'));
  printFindings(findings, options.json === true);
}

async function checkKnown(
  { places, wayOut }: KnownAgent,
  { agents, docker: engine }: RelayConfig,
  locked: readonly string[],
): Promise<readonly Finding[]> {
  const { agent } = places;
  const check = `agent ${agent.name}`;
  const named = agents.map(({ container }) => container);
  const found = await findAgentContainer(agent.container, { engine, named, check }).catch(
    (error: unknown) => ({ id: undefined, findings: [bad(check, messageOf(error), 'start the engine')] }),
  );
  if (found.id === undefined) return found.findings;
  const question = { places, engine, id: found.id, locked, ...(wayOut && { wayOut }) };
  const findings = [...found.findings, ...(await checkJail(question))];
  return findings.length > 0 ? findings : [good(check, `container ${found.id.slice(0, 12)} is closed`)];
}
