import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTold } from '../../../config/known-agent.ts';
import { loadRelayConfig, type RelayConfig } from '../../../config/relay-config.ts';
import {
  type AgentPlaces,
  listedPlaces,
  type ToldAgent,
  toldPath,
  toldPlaces,
} from '../../../config/told-agents.ts';
import { identityFiles } from '../../../pki/identity-files.ts';
import { renderArgument } from '../../../text/render-text.ts';
import { checkJail } from '../agent/check-jail.ts';
import { type Inspected, inspected } from '../agent/inspected.ts';
import { checkCertificate, checkKey, checkTrust } from './check-certificate.ts';
import { checkEngine } from './check-engine.ts';
import { checkHomes } from './check-homes.ts';
import { checkDisk } from './check-machine.ts';
import { checkRefused } from './check-refused.ts';
import { checkRelayGateway } from './check-relay-gateway.ts';
import { checkWorkspace } from './check-workspace.ts';
import { askEngine } from './engine-request.ts';
import { findAgentContainer } from './find-agent-container.ts';
import { findPrivileged } from './find-privileged.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

/** Checks a relay.yaml and everything that it names on this agent host. */
export async function checkRelayFiles(file: string, locked: readonly string[] = []): Promise<Finding[]> {
  let config: RelayConfig;
  try {
    config = loadRelayConfig(file);
  } catch (error) {
    const fix = 'mend it; docs/reference.md explains every key';
    return messageOf(error)
      .split('\n')
      .map((line) => bad('relay.yaml', line, fix));
  }
  const renew = 'clawrden relay invite, then clawrden relay enroll with the same --dir';
  const { known, findings } = await toldAgents(config);
  const told = known.filter(({ name }) => config.agents.every((agent) => agent.name !== name));
  const agents = [
    ...config.agents.map((agent) => listedPlaces(config, agent)),
    ...told.map((agent) => toldPlaces(config, agent)),
  ];
  const engine = await checkEngine('engine', { engine: config.docker }, false);
  return [
    good(
      'relay.yaml',
      `${file}: ${config.agents.length} agents, and ${told.length} that the gateway told of`,
    ),
    ...findings,
    await checkCertificate(
      "the relay's certificate",
      join(config.identity, identityFiles.certificate),
      renew,
    ),
    ...checkTrust(config.trust),
    await checkKey("the relay's key", join(config.identity, identityFiles.key)),
    await checkDisk(config.state, 'make room: the relay keeps there who is paused'),
    ...(await checkRelayGateway(config)),
    ...(await checkRefused(config)),
    engine,
    ...(engine.level === 'error'
      ? []
      : (await Promise.all(agents.map((places) => checkAgent(places, config, { known, locked })))).flat()),
    ...(await checkHomes(known, config)),
  ];
}

async function toldAgents(
  config: RelayConfig,
): Promise<{ readonly known: readonly ToldAgent[]; readonly findings: readonly Finding[] }> {
  const path = toldPath(config.state);
  try {
    const known = await readTold(config.state);
    return { known, findings: existsSync(path) ? checkBound(config, known) : [] };
  } catch {
    const fix = 'start the relay: it writes the file again when the gateway answers';
    return { known: [], findings: [doubtful('agents', `${path} is damaged or cannot be read`, fix)] };
  }
}

/** The gateway tells a relay of every agent that is bound to it. */
function checkBound({ agents }: RelayConfig, known: readonly ToldAgent[]): Finding[] {
  const strays = agents.filter(({ name }) => known.every((agent) => agent.name !== name));
  return strays.map(({ name }) =>
    bad(
      `agent ${name}`,
      'relay.yaml names it, and gateway.yaml does not bind it to this relay: another relay may serve it',
      'take it out of relay.yaml, or name this relay in agents of gateway.yaml',
    ),
  );
}

async function checkAgent(
  places: AgentPlaces,
  { agents, docker: engine }: RelayConfig,
  { known, locked }: { readonly known: readonly ToldAgent[]; readonly locked: readonly string[] },
): Promise<Finding[]> {
  const check = `agent ${places.agent.name}`;
  const wayOut = known.find(({ name }) => name === places.agent.name)?.wayOut;
  const named = agents.map((each) => each.container);
  try {
    const { id, findings } = await findAgentContainer(places.agent.container, { engine, named, check });
    if (id === undefined) return [...findings];
    const { status, body } = await askEngine({ engine }, `/containers/${id}/json`);
    if (status === 404) return [bad(check, `there is no container ${id}`, 'start it, or mend its name')];
    const container = inspected.parse(body);
    const problems = [
      ...(await checkJail({ places, engine, id, locked, ...(wayOut && { wayOut }) })),
      ...(await checkWays(container, check)),
    ];
    const name = container.Name.replace(/^\//, '');
    const closed = problems.length === 0 ? [good(check, `${name} runs, and is closed`)] : problems;
    return [...findings, ...closed, ...(await checkWorkspaces(container, check))];
  } catch (error) {
    return [bad(check, messageOf(error), 'see what the engine says')];
  }
}

/** An agent's workspace is every folder that it may write, wherever that is mounted. */
async function checkWays({ Mounts }: Inspected, check: string): Promise<Finding[]> {
  const sources = Mounts.flatMap(({ Type, Source, RW }) => (Type === 'bind' && RW && Source ? [Source] : []));
  return (await Promise.all(sources.map((source) => checkWorkspace(check, source)))).flat();
}

/** A process that runs a setuid file of the agent runs as another user. File capabilities are not checked. */
async function checkWorkspaces({ Mounts }: Inspected, check: string): Promise<Finding[]> {
  const writable = Mounts.filter(({ RW, Source = '' }) => RW && Source.startsWith('/'));
  return await Promise.all(
    writable.map(async ({ Source = '', Destination }) => {
      const { files, looked, left } = await findPrivileged(Source);
      const text = `${Destination} (${Source}): ${looked} entries, ${files.length} of them setuid or setgid`;
      const all = [text, left, files.map(renderArgument).join(', ')].filter(Boolean).join('; ');
      if (files.length > 0) return doubtful(check, all, 'look at them, take the bits away: chmod ug-s FILE');
      return left === '' ? good(check, all) : doubtful(check, all, 'look for more: find DIR -perm /6000');
    }),
  );
}
