import type { ToolStrategy } from '../../plan.ts';
import type { NetworksFile } from './tool-schema.ts';

/**
 * Why a fetch cannot have this network: it goes to public addresses, by name, and knows no routes. Empty if it can, and
 * for every other strategy.
 */
export function whyNoFetch(
  strategy: ToolStrategy,
  network: string | undefined,
  networks: NetworksFile,
): string {
  if (strategy !== 'fetch' || network === undefined) return '';
  if (network === 'none') return 'leaves a fetch nothing: leave it out, or name a network that has allow';
  const named = Object.hasOwn(networks, network) ? networks[network] : undefined;
  if (named === undefined) return '';
  if (named.allow === undefined) return `has no allow in network ${network}: a fetch goes to nothing else`;
  const inside = named.allow.find((destination) => destination.private === true);
  return inside === undefined
    ? ''
    : `has ${inside.to}, which is private: a fetch goes to public addresses only`;
}
