import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { RelayView } from '../ports/warden-api.ts';
import type { Relays } from './relays.ts';

/** The relays of these agents, and those that are connected though no agent has them any more. */
export function relayViews(
  agents: ReadonlyMap<string, Pick<AgentConfig, 'relay'>>,
  relays: Pick<Relays, 'places'>,
): RelayView[] {
  const places = relays.places();
  const counts = new Map([...places.keys()].map((name) => [name, 0]));
  for (const { relay } of agents.values()) counts.set(relay, (counts.get(relay) ?? 0) + 1);
  return [...counts].map(([name, count]) => {
    const { peer, fingerprint, version, since } = places.get(name) ?? nowhere;
    return { name, agents: count, connected: since !== undefined, peer, fingerprint, version, since };
  });
}

/** Relays that serve nothing for this gateway. */
export function refusingRelays(relays: Pick<Relays, 'refusing'>): string[] {
  return [...relays.refusing()].map(
    ([name, version]) =>
      `relay ${name} of version ${version} serves nothing, because this gateway is older: upgrade the gateway first`,
  );
}

const nowhere = { peer: '', fingerprint: '', version: '', since: undefined };
