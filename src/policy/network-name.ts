import type { DecidedTool } from './policy.ts';

/** What a fetch has that no network narrows: every public server. */
export const publicNetwork = 'public';

type Tool = Pick<DecidedTool, 'strategy' | 'network' | 'reach'>;

/** For people: the network by name, or the Docker network's own. */
export function networkName({ strategy, network, reach }: Tool): string {
  if (reach.network !== '') return reach.network;
  return strategy === 'fetch' ? publicNetwork : network;
}

/** A fetch follows no route. */
export function routesOf({ strategy, reach }: Omit<Tool, 'network'>): readonly string[] {
  return strategy === 'fetch' ? [] : reach.routes;
}
