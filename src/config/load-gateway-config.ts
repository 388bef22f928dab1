import { dirname, resolve } from 'node:path';
import type { SshFiles } from '../ssh/ssh-arguments.ts';
import { checkShape } from './check-shape.ts';
import { ConfigError } from './config-error.ts';
import { duplicates } from './duplicates.ts';
import type { AgentConfig, GatewayConfig, GatewayLimits, HostConfig, Labels } from './gateway-config.ts';
import { type GatewayFile, gatewaySchema } from './gateway-schema.ts';
import { toHttp, toServerTls, wrongHttp } from './http-config.ts';
import { nearestHint } from './nearest.ts';
import { targetNames } from './notify-config.ts';
import { toNotify } from './notify-fields.ts';
import { toOidc } from './oidc-fields.ts';
import { readTextFile } from './read-text-file.ts';
import { readYaml, type YamlSource } from './read-yaml.ts';
import { findRouteProblems, toRoutes } from './route-fields.ts';
import { secretIn } from './secret-field.ts';
import { toWorkspace } from './workspace-fields.ts';

/** Reads gateway.yaml. Throws one ConfigError that lists every problem. Relative paths are relative to the file. */
export function loadGatewayConfig(file: string): GatewayConfig {
  return parseGatewayConfig(readTextFile(file), file);
}

/** The same for a text. Problems name `file`, and relative paths are relative to its folder. */
export function parseGatewayConfig(text: string, file: string): GatewayConfig {
  const yaml = readYaml(text, file);
  if ('problems' in yaml) throw new ConfigError(yaml.problems);
  const shape = checkShape(gatewaySchema, yaml.source);
  if ('problems' in shape) throw new ConfigError(shape.problems);
  const problems = findContradictions(shape.value, yaml.source);
  if (problems.length > 0) throw new ConfigError(problems);
  return toConfig(shape.value, resolve(file));
}

function findContradictions(raw: GatewayFile, source: YamlSource): string[] {
  const openDoor = wrongHttp(raw.http);
  return [
    ...(isLast('complete', source)
      ? []
      : [
          source.problem(
            ['complete'],
            'must be the last key: whatever stands behind it can be cut off unnoticed',
          ),
        ]),
    ...(openDoor === undefined ? [] : [source.problem(['http', openDoor.key], openDoor.what)]),
    ...duplicates(raw.hosts.map(({ name }) => name)).map((index) =>
      source.problem(['hosts', index, 'name'], `another host is named "${raw.hosts[index]?.name}" already`),
    ),
    ...duplicates(raw.agents.map(({ name }) => name)).map((index) =>
      source.problem(
        ['agents', index, 'name'],
        `another agent is named "${raw.agents[index]?.name}" already`,
      ),
    ),
    ...duplicates(targetNames(raw.notify)).map((index) =>
      source.problem(['notify'], `two are named "${targetNames(raw.notify)[index]}"`),
    ),
    ...raw.hosts.flatMap((host, index) => {
      const what = wrongTls(host) ?? wrongSsh(host);
      return what === undefined ? [] : [source.problem(['hosts', index, 'engine'], what)];
    }),
    ...raw.agents.flatMap((agent, index) =>
      hasHost(raw, agent.hosts)
        ? []
        : [source.problem(['agents', index, 'hosts'], 'no host of this file has these labels')],
    ),
    ...findRouteProblems(raw, source),
    ...raw.warm.flatMap(({ agent }, index) => {
      const names = raw.agents.map(({ name }) => name);
      const what = `there is no agent "${agent}"${nearestHint(agent, names, 'agent')}`;
      return names.includes(agent) ? [] : [source.problem(['warm', index, 'agent'], what)];
    }),
  ];
}

/** If it is there at all. */
function isLast(key: string, { value }: YamlSource): boolean {
  const keys = Object.keys(value as object);
  return !keys.includes(key) || keys.at(-1) === key;
}

function wrongTls({ engine, tls }: GatewayFile['hosts'][number]): string | undefined {
  const isTcp = engine.startsWith('tcp://');
  if (isTcp && tls === undefined) return 'a tcp:// engine needs tls: { ca, cert, key }';
  return !isTcp && tls !== undefined ? 'tls is for tcp:// engines only' : undefined;
}

function wrongSsh({ engine, ssh }: GatewayFile['hosts'][number]): string | undefined {
  return !engine.startsWith('ssh://') && ssh !== undefined ? 'ssh is for ssh:// engines only' : undefined;
}

function hasHost(raw: GatewayFile, selector: Labels): boolean {
  const wanted = Object.entries(selector);
  return (
    wanted.length === 0 ||
    raw.hosts.some(({ labels }) => wanted.every(([name, value]) => labels[name] === value))
  );
}

function toConfig(raw: GatewayFile, file: string): GatewayConfig {
  const inFolder = (path: string): string => resolve(dirname(file), path);
  return {
    file,
    grpc: { listen: raw.grpc.listen, ...toServerTls(raw.grpc.tls, inFolder) },
    enroll: raw.enroll,
    http: toHttp(raw.http, inFolder),
    state: inFolder(raw.state),
    policy: inFolder(raw.policy),
    ...(raw['tool-files'] !== undefined && { toolFiles: inFolder(raw['tool-files']) }),
    audit: inFolder(raw.audit),
    limits: toLimits(raw.limits),
    warm: raw.warm,
    session: { idleMs: raw.session.idle, maxAgeMs: raw.session['max-age'] },
    notify: toNotify(raw.notify, inFolder),
    ...toOidc(raw.oidc, inFolder),
    secrets: new Map(Object.entries(raw.secrets).map(([name, at]) => [name, secretIn(at, inFolder)])),
    routes: toRoutes(raw.routes, inFolder),
    egress: raw.egress,
    ...(raw.traces && { traces: raw.traces }),
    complete: raw.complete === true,
    hosts: raw.hosts.map((host) => toHost(host, inFolder)),
    agents: raw.agents.map(toAgent),
  };
}

function toLimits(raw: GatewayFile['limits']): GatewayLimits {
  return {
    running: raw.running,
    queued: raw.queued,
    pendingPerAgent: raw['pending-per-agent'],
    executionsPerAgent: raw['executions-per-agent'],
    requestsPerSecond: raw['requests-per-second'],
    bytesPerSecond: raw['bytes-per-second'],
    connections: raw.connections,
    connectionsPerAddress: raw['connections-per-address'],
    queueTimeoutMs: raw['queue-timeout'],
    startTimeoutMs: raw['start-timeout'],
    historyMs: raw['history-days'] * 86_400_000,
    historyBytes: raw['history-size'],
  };
}

function toHost(raw: GatewayFile['hosts'][number], inFolder: (path: string) => string): HostConfig {
  const { tls, ssh, memory, cpus, ...rest } = raw;
  return {
    ...rest,
    ...(memory !== undefined && { memoryBytes: memory }),
    ...(cpus !== undefined && { cpus }),
    ...(tls && { tls: { ca: inFolder(tls.ca), cert: inFolder(tls.cert), key: inFolder(tls.key) } }),
    ...(ssh && { ssh: toSshFiles(ssh, inFolder) }),
  };
}

function toSshFiles(
  raw: NonNullable<GatewayFile['hosts'][number]['ssh']>,
  inFolder: (path: string) => string,
): SshFiles {
  const { identity, 'known-hosts': knownHosts } = raw;
  return {
    ...(identity !== undefined && { identity: inFolder(identity) }),
    ...(knownHosts !== undefined && { knownHosts: inFolder(knownHosts) }),
  };
}

function toAgent(raw: GatewayFile['agents'][number]): AgentConfig {
  const { workspace, ...rest } = raw;
  return workspace === undefined ? rest : { ...rest, workspace: toWorkspace(workspace) };
}
