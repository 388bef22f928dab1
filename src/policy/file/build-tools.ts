import { nearestHint } from '../../config/nearest.ts';
import type { YamlSource } from '../../config/read-yaml.ts';
import { helpToolName } from '../help-tool.ts';
import type { RunOverrides, ToolDefinition } from '../policy.ts';
import { isToolName } from '../request/tool-name.ts';
import { toolDefaults } from '../tool-defaults.ts';
import { findNetworkNames, type Networks } from './build-networks.ts';
import { whyNoFetch } from './fetch-network.ts';
import type { NetworksFile, RunFields, ToolsFile } from './tool-schema.ts';

/** Nobody waits longer for a page. */
const fetchMs = 60_000;

export function buildTools(
  tools: ToolsFile,
  networks: Networks,
  timeoutMs: number,
): ReadonlyMap<string, ToolDefinition> {
  return new Map(
    Object.entries(tools).map(([name, raw]) => [name, toDefinition(name, raw, networks, timeoutMs)]),
  );
}

/** Faults that the schema cannot show: invalid names, networks that are not defined. */
export function findToolProblems(tools: ToolsFile, networks: NetworksFile, source: YamlSource): string[] {
  return [
    ...Object.keys(tools)
      .filter((name) => !isToolName(name))
      .map((name) => source.problem(['tools', name], 'a tool must have a plain file name')),
    ...(helpToolName in tools ? [source.problem(['tools', helpToolName], "is Clawrden's own name")] : []),
    ...Object.entries(tools).flatMap(([name, { network }]) =>
      findNetworkProblem(network, networks, source, ['tools', name, 'network']),
    ),
    ...Object.entries(tools).flatMap(([name, tool]) =>
      findFetchProblem(tool, networks, source, ['tools', name, 'network']),
    ),
    ...findNetworkNames(networks, source),
  ];
}

/** The part of `raw` that says how a command runs. */
export function toOverrides(raw: RunFields, networks: Networks): RunOverrides {
  return {
    ...(raw.strategy === undefined ? {} : { strategy: raw.strategy }),
    ...(raw.image === undefined ? {} : { image: raw.image }),
    ...(raw.network === undefined ? {} : networks.get(raw.network)),
    ...egressBytes(raw['egress-bytes']),
    ...(raw.secrets === undefined ? {} : { secrets: new Map(Object.entries(raw.secrets)) }),
    ...(raw.unmasked === undefined ? {} : { unmasked: true }),
    ...(raw.memory === undefined ? {} : { memoryBytes: raw.memory }),
    ...(raw.cpus === undefined ? {} : { cpus: raw.cpus }),
    ...(raw.pids === undefined ? {} : { pids: raw.pids }),
    ...(raw.output === undefined ? {} : { outputBytes: raw.output }),
    ...(raw['file-size'] === undefined ? {} : { fileBytes: raw['file-size'] }),
    ...(raw.stdin === undefined ? {} : { stdin: raw.stdin }),
    ...(raw['idle-timeout'] === undefined ? {} : { idleTimeoutMs: raw['idle-timeout'] }),
    ...(raw.environment === undefined ? {} : { environment: raw.environment }),
    ...(raw.record === undefined ? {} : { record: raw.record }),
    ...(raw.workspace === undefined ? {} : { workspace: raw.workspace }),
    ...(raw.isolation === undefined ? {} : { isolation: raw.isolation }),
    ...(raw.live === undefined ? {} : { liveMs: raw.live }),
  };
}

function egressBytes({ up, down }: NonNullable<RunFields['egress-bytes']> = {}): RunOverrides {
  return {
    ...(up !== undefined && { egressUpBytes: up }),
    ...(down !== undefined && { egressDownBytes: down }),
  };
}

/** A line for a network under `path` that is not defined. */
export function findNetworkProblem(
  network: string | undefined,
  networks: NetworksFile,
  source: YamlSource,
  path: readonly PropertyKey[],
): string[] {
  const known = ['none', ...Object.keys(networks)];
  if (network === undefined || known.includes(network)) return [];
  return [source.problem(path, `there is no network "${network}"${nearestHint(network, known, 'network')}`)];
}

/** A line for a network that a fetch cannot have. */
export function findFetchProblem(
  { strategy, network }: Pick<ToolsFile[string], 'strategy' | 'network'>,
  networks: NetworksFile,
  source: YamlSource,
  path: readonly PropertyKey[],
): string[] {
  const what = whyNoFetch(strategy, network, networks);
  return what === '' ? [] : [source.problem(path, what)];
}

function toDefinition(
  name: string,
  raw: ToolsFile[string],
  networks: Networks,
  timeoutMs: number,
): ToolDefinition {
  return {
    ...toolDefaults,
    ...toOverrides(raw, networks),
    name,
    strategy: raw.strategy,
    timeoutMs: raw.timeout ?? (raw.strategy === 'fetch' ? Math.min(timeoutMs, fetchMs) : timeoutMs),
    forbidden: raw['forbid-characters'] ?? toolDefaults.forbidden,
    ...(raw.otherwise === undefined ? {} : { otherwise: raw.otherwise }),
  };
}
