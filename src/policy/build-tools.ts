import { nearestHint } from '../config/nearest.ts';
import type { YamlSource } from '../config/read-yaml.ts';
import type { ToolDefinition } from './policy.ts';
import { toolDefaults } from './tool-defaults.ts';
import { isToolName } from './tool-name.ts';
import type { NetworksFile, ToolsFile } from './tool-schema.ts';

export function buildTools(
  tools: ToolsFile,
  networks: NetworksFile,
  timeoutMs: number,
): ReadonlyMap<string, ToolDefinition> {
  return new Map(
    Object.entries(tools).map(([name, raw]) => [name, toDefinition(name, raw, networks, timeoutMs)]),
  );
}

/** What the shape alone does not show: names that are none, networks that are not there. */
export function findToolProblems(tools: ToolsFile, networks: NetworksFile, source: YamlSource): string[] {
  const known = ['none', ...Object.keys(networks)];
  return [
    ...Object.keys(tools)
      .filter((name) => !isToolName(name))
      .map((name) => source.problem(['tools', name], 'a tool must have a plain file name')),
    ...Object.entries(tools).flatMap(([name, { network = 'none' }]) =>
      known.includes(network)
        ? []
        : source.problem(
            ['tools', name, 'network'],
            `there is no network "${network}"${nearestHint(network, known, 'network')}`,
          ),
    ),
    ...('none' in networks ? [source.problem(['networks', 'none'], 'none is always no network')] : []),
  ];
}

function toDefinition(
  name: string,
  raw: ToolsFile[string],
  networks: NetworksFile,
  timeoutMs: number,
): ToolDefinition {
  return {
    name,
    strategy: raw.strategy,
    ...(raw.image === undefined ? {} : { image: raw.image }),
    network: networks[raw.network ?? '']?.['docker-network'] ?? toolDefaults.network,
    memoryBytes: raw.memory ?? toolDefaults.memoryBytes,
    cpus: raw.cpus ?? toolDefaults.cpus,
    pids: raw.pids ?? toolDefaults.pids,
    outputBytes: raw.output ?? toolDefaults.outputBytes,
    fileBytes: raw['file-size'] ?? toolDefaults.fileBytes,
    stdin: raw.stdin ?? toolDefaults.stdin,
    timeoutMs: raw.timeout ?? timeoutMs,
    idleTimeoutMs: raw['idle-timeout'] ?? toolDefaults.idleTimeoutMs,
    ...(raw.otherwise === undefined ? {} : { otherwise: raw.otherwise }),
  };
}
