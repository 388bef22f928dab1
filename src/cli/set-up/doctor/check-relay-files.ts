import { join } from 'node:path';
import { z } from 'zod';
import { readTold } from '../../../config/known-agent.ts';
import { loadRelayConfig, type RelayConfig } from '../../../config/relay-config.ts';
import {
  listedPlaces,
  type ServedConfig,
  type ToldAgent,
  toldPath,
  toldPlaces,
} from '../../../config/told-agents.ts';
import { identityFiles } from '../../../pki/identity-files.ts';
import { renderArgument } from '../../../text/render-text.ts';
import { checkCertificate, checkKey, checkTrust } from './check-certificate.ts';
import { checkEngine } from './check-engine.ts';
import { checkHomes } from './check-homes.ts';
import { checkWorkspace } from './check-workspace.ts';
import { askEngine } from './engine-request.ts';
import { findAgentContainer } from './find-agent-container.ts';
import { findPrivileged } from './find-privileged.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

const container = z.object({
  Name: z.string(),
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ User: z.string() }),
  HostConfig: z.object({ NetworkMode: z.string(), Privileged: z.boolean() }),
  Mounts: z.array(
    z.object({
      Type: z.string().optional(),
      Destination: z.string(),
      Source: z.string().optional(),
      RW: z.boolean(),
    }),
  ),
});

type Container = z.infer<typeof container>;

/** Checks a relay.yaml and everything that it names on this agent host. */
export async function checkRelayFiles(file: string): Promise<Finding[]> {
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
    ...config.agents.map((agent) => listedPlaces(config, agent).agent),
    ...told.map((agent) => toldPlaces(config, agent).agent),
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
    engine,
    ...(engine.level === 'error'
      ? []
      : (await Promise.all(agents.map((agent) => checkAgent(agent, config)))).flat()),
    ...(await checkHomes(known, config)),
  ];
}

async function toldAgents(
  config: RelayConfig,
): Promise<{ readonly known: readonly ToldAgent[]; readonly findings: readonly Finding[] }> {
  const path = toldPath(config.state);
  try {
    return { known: await readTold(config.state), findings: [] };
  } catch {
    const fix = 'start the relay: it writes the file again when the gateway answers';
    return { known: [], findings: [doubtful('agents', `${path} is damaged or cannot be read`, fix)] };
  }
}

async function checkAgent(agent: ServedConfig, config: RelayConfig): Promise<Finding[]> {
  const check = `agent ${agent.name}`;
  const engine = config.docker;
  const named = config.agents.map((each) => each.container);
  try {
    const { id, findings } = await findAgentContainer(agent.container, { engine, named, check });
    if (id === undefined) return [...findings];
    const { status, body } = await askEngine({ engine }, `/containers/${id}/json`);
    if (status === 404) return [bad(check, `there is no container ${id}`, 'start it, or mend its name')];
    return [...findings, ...(await checkContainer(container.parse(body), check))];
  } catch (error) {
    return [bad(check, messageOf(error), 'see what the engine says')];
  }
}

async function checkContainer(found: Container, check: string): Promise<Finding[]> {
  const problems = [...problemsOf(found, check), ...(await checkWays(found, check))];
  const name = found.Name.replace(/^\//, '');
  const closed = problems.length === 0 ? [good(check, `${name} runs, and is closed`)] : problems;
  return [...closed, ...(await checkWorkspaces(found, check))];
}

/** An agent's workspace is every folder that it may write, wherever that is mounted. */
async function checkWays({ Mounts }: Container, check: string): Promise<Finding[]> {
  const sources = Mounts.flatMap(({ Type, Source, RW }) => (Type === 'bind' && RW && Source ? [Source] : []));
  return (await Promise.all(sources.map((source) => checkWorkspace(check, source)))).flat();
}

/** A process that runs a setuid file of the agent runs as another user. File capabilities are not checked. */
async function checkWorkspaces({ Mounts }: Container, check: string): Promise<Finding[]> {
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

/** Settings that open an agent's container: an agent that can go around Clawrden is bound by no decision. */
function problemsOf({ State, Config, HostConfig, Mounts }: Container, check: string): Finding[] {
  const at = (path: string) => Mounts.find(({ Destination }) => Destination === path);
  const socket = at('/var/run/clawrden');
  const jail = at('/clawrden/bin');
  const docker = Mounts.some(({ Source, Destination }) => (Source ?? Destination).endsWith('docker.sock'));
  const root = /^(0|root)?(:|$)/.test(Config.User);
  const readOnly = 'mount it read-only (:ro)';
  const found: (Finding | false)[] = [
    !State.Running && bad(check, 'its container does not run', 'start it'),
    socket === undefined &&
      bad(check, 'no /var/run/clawrden', "mount the folder of the agent's socket there, :ro"),
    socket?.RW === true && bad(check, '/var/run/clawrden can be written', readOnly),
    jail === undefined &&
      bad(check, 'no /clawrden/bin', "mount the agent's jail there, :ro, and put it first on PATH"),
    jail?.RW === true && bad(check, '/clawrden/bin can be written', readOnly),
    docker &&
      bad(check, 'it has a Docker socket', 'take it away: a process that has it is root on this machine'),
    HostConfig.Privileged && bad(check, 'it is privileged', 'start it without --privileged'),
    root && bad(check, 'it runs as root', 'start it with --user 1000:1000'),
    HostConfig.NetworkMode !== 'none' &&
      doubtful(check, `it has a network (${HostConfig.NetworkMode})`, 'start it with --network none'),
  ];
  return found.filter((finding) => finding !== false);
}
