import type { YamlSource } from '../../config/read-yaml.ts';
import { noReach } from '../../egress/reach.ts';
import type { PolicyBase, ToolDefinition } from '../policy.ts';
import { toolDefaults } from '../tool-defaults.ts';
import type { NetworksFile } from './tool-schema.ts';

/** What a tool has of a network: a Docker network, or what it may reach by name. */
export type NetworkUse = Pick<ToolDefinition, 'network' | 'reach'>;

/** By name. Tools and rules that name the same network have the same object. */
export type Networks = ReadonlyMap<string, NetworkUse>;

const none: NetworkUse = { network: toolDefaults.network, reach: noReach };

export function buildNetworks(networks: NetworksFile): Networks {
  const uses = Object.entries(networks).map(([name, network]): [string, NetworkUse] => {
    const { 'docker-network': docker, allow = [], routes = [] } = network;
    if (docker !== undefined) return [name, { network: docker, reach: noReach }];
    return [name, { ...none, reach: { network: name, allow, routes: [...new Set(routes)] } }];
  });
  return new Map([['none', none], ...uses]);
}

/** Those by name, for agents that have one. */
export function namedNetworks(networks: Networks): Pick<PolicyBase, 'networks'> {
  const named = [...networks].filter(([, { reach }]) => reach !== noReach);
  return named.length === 0 ? {} : { networks: new Map(named.map(([name, { reach }]) => [name, reach])) };
}

/** Names that cannot be shown in a line, and the one that is taken. */
export function findNetworkNames(networks: NetworksFile, source: YamlSource): string[] {
  return Object.entries(networks).flatMap(([name, { 'docker-network': docker }]) => {
    if (name === 'none') return [source.problem(['networks', name], 'none is always no network')];
    return docker !== undefined || /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)
      ? []
      : [
          source.problem(
            ['networks', name],
            'must have a name of letters, digits, ".", "_" and "-" (up to 63)',
          ),
        ];
  });
}
