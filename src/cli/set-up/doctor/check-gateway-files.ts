import { join } from 'node:path';
import type { GatewayConfig, HostConfig } from '../../../config/gateway-config.ts';
import { loadGatewayConfig } from '../../../config/load-gateway-config.ts';
import { whyCut } from '../../../pki/complete-note.ts';
import { stateFiles } from '../../../pki/state-files.ts';
import { loadWhole } from '../../../policy/file/load-whole.ts';
import type { Policy } from '../../../policy/policy.ts';
import { checkPolicy } from '../../../policy/review/check-policy.ts';
import { checkAudit } from './check-audit.ts';
import { checkCertificate, checkKey, checkServerFiles } from './check-certificate.ts';
import { checkEngine, checkPresent } from './check-engine.ts';
import { checkDisk } from './check-machine.ts';
import { checkNetworks, dockerNetworks } from './check-networks.ts';
import { checkNotify } from './check-notify.ts';
import { checkOidc } from './check-oidc.ts';
import { checkRoutes } from './check-routes.ts';
import { checkWorkspace } from './check-workspace.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

/** Checks a gateway.yaml and everything that it names. */
export async function checkGatewayFiles(file: string): Promise<Finding[]> {
  let config: GatewayConfig;
  try {
    config = loadGatewayConfig(file);
  } catch (error) {
    return linesOf(error).map((line) =>
      bad('gateway.yaml', line, 'mend it; docs/reference.md explains every key'),
    );
  }
  const { policy, findings } = checkPolicyFile(config);
  const cut = whyCut(config);
  return [
    ...(cut === '' ? [] : [bad('gateway.yaml', cut, 'the gateway does not start with it')]),
    good('gateway.yaml', `${file}: ${config.hosts.length} hosts, ${config.agents.length} agents`),
    ...(config.hosts.length === 0 ? [bad('hosts', 'there is none', 'name a Docker engine under hosts')] : []),
    ...(config.agents.length === 0 ? [doubtful('agents', 'there is none', 'name one under agents')] : []),
    ...findings,
    ...checkRoutes(config, policy),
    ...(await checkState(config.state)),
    ...(await checkServerFiles('grpc.tls', config.grpc.tls)),
    ...(await checkServerFiles('http.tls', config.http.tls)),
    ...(await checkAudit(config)),
    ...(await checkNotify(config.notify)),
    ...(await checkOidc(config.oidc)),
    ...(await checkWorkspaces(config)),
    ...(await Promise.all(config.hosts.map((host) => checkHost(host, config, policy)))).flat(),
  ];
}

function linesOf(error: unknown): string[] {
  return messageOf(error).split('\n');
}

function checkPolicyFile({ policy: file, toolFiles }: GatewayConfig): {
  policy: Policy | undefined;
  findings: Finding[];
} {
  try {
    const { policy, toolProblems } = loadWhole(file, toolFiles);
    const { errors, warnings } = checkPolicy(policy);
    const fix = `clawrden policy check ${file}`;
    const findings = [
      ...toolProblems.map((text) => bad('tool file', text, 'mend it; docs/policy.md explains every key')),
      ...errors.map((text) => bad('policy', text, fix)),
      ...warnings.map((text) => doubtful('policy', text, fix)),
    ];
    return { policy, findings: [good('policy', file), ...findings] };
  } catch (error) {
    const findings = linesOf(error).map((line) =>
      bad('policy', line, 'mend it; docs/policy.md explains every key'),
    );
    return { policy: undefined, findings };
  }
}

async function checkState(folder: string): Promise<Finding[]> {
  const make = 'make a new state folder with clawrden init, and enrol the relays again';
  const in_ = (name: string) => join(folder, name);
  return [
    await checkDisk(folder),
    await checkCertificate('authority', in_(stateFiles.authority), make),
    await checkCertificate('server certificate', in_(stateFiles.server), make),
    await checkKey('authority key', in_(stateFiles.authorityKey)),
    await checkKey('server key', in_(stateFiles.serverKey)),
    await checkKey('signing key', in_(stateFiles.signingKey)),
  ];
}

/** A path is on this machine if an engine of this machine mounts it. */
async function checkWorkspaces({ agents, hosts }: GatewayConfig): Promise<Finding[]> {
  if (!hosts.some(({ engine }) => engine.startsWith('unix:'))) return [];
  const checks = agents.map(async ({ name, workspace }) =>
    workspace?.kind === 'bind' ? await checkWorkspace(`agent ${name}`, workspace.source) : [],
  );
  return (await Promise.all(checks)).flat();
}

async function checkHost(
  host: HostConfig,
  { agents, hosts }: GatewayConfig,
  policy: Policy | undefined,
): Promise<Finding[]> {
  const check = `host ${host.name}`;
  const engine = await checkEngine(check, host, true);
  if (engine.level === 'error') return [engine];
  const docker = `docker -H ${host.engine}`;
  const tools = [...(policy?.tools.values() ?? [])].filter(({ strategy }) => strategy === 'ghost');
  const images = new Set(tools.flatMap(({ image }) => (image === undefined ? [] : [image])));
  const networks = [...(policy === undefined ? [] : dockerNetworks(policy))];
  const volumes = agents.flatMap(({ workspace }) => (workspace?.kind === 'volume' ? [workspace.source] : []));
  const wanted = [
    ...[...images].map((name) => [`/images/${name}/json`, `${docker} pull ${name}`] as const),
    ...networks.map(([name]) => [`/networks/${name}`, `${docker} network create ${name}`] as const),
    ...volumes.map((name) => [`/volumes/${name}`, `${docker} volume create ${name}`] as const),
  ];
  const asked = await Promise.all(
    wanted.map(async ([path, fix]) => [path, await checkPresent(check, host, path, fix)] as const),
  );
  const missing = new Map(
    asked.flatMap(([path, finding]) => (finding === undefined ? [] : [[path, finding] as const])),
  );
  const there = networks.filter(([network]) => !missing.has(`/networks/${network}`));
  const lacksImage = ([, image]: readonly [string, string]) => missing.has(`/images/${image}/json`);
  return [
    ...[engine, ...missing.values()],
    ...there.filter(lacksImage).map(([network, image]) => untried(check, network, image, docker)),
    ...(await checkNetworks(check, host, hosts, new Map(there.filter((each) => !lacksImage(each))))),
  ];
}

/** A network is tried by an image of its tools. */
function untried(check: string, network: string, image: string, docker: string): Finding {
  const text = `network ${network}: what it leads to was not tried: this host lacks the image ${image}`;
  return doubtful(check, text, `${docker} pull ${image}, and run doctor again`);
}
