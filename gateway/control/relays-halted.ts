import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { KillSwitchParts } from './kill-switch.ts';
import type { Relays } from './relays.ts';

const mostNamed = 4;

/** What the kill switch waits for: each agent's relay, named with the addresses that it is used from. */
export function relaysHalted(
  agents: () => ReadonlyMap<string, AgentConfig>,
  relays: Pick<Relays, 'halted' | 'peersOf'>,
): KillSwitchParts['relaysHalted'] {
  return (concerned) => {
    const own = [...agents().values()].filter(({ name }) => concerned(name));
    return new Map(own.map((agent) => [nameOf(agent, relays.peersOf(agent)), relays.halted(agent)]));
  };
}

function nameOf({ name, relay }: AgentConfig, peers: readonly string[]): string {
  if (peers.length === 0) return `agent ${name} (relay ${relay} is not connected)`;
  const more = peers.length > mostNamed ? ` and ${peers.length - mostNamed} more` : '';
  return `agent ${name} (relay ${relay} at ${peers.slice(0, mostNamed).join(' and ')}${more})`;
}
