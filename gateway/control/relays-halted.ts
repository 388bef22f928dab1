import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { AwaitedEnd, KillSwitchParts } from './kill-switch.ts';
import type { Relays } from './relays.ts';

const mostNamed = 4;

type Reporting = Pick<Relays, 'halted' | 'peersOf' | 'report'>;

/** What the kill switch waits for: each agent's relay, named with the addresses that it is used from. */
export function relaysHalted(
  agents: () => ReadonlyMap<string, AgentConfig>,
  relays: Reporting,
): KillSwitchParts['relaysHalted'] {
  return (concerned) => {
    const own = [...agents().values()].filter(({ name }) => concerned(name));
    return own.map((agent) => awaitHalt(agent, relays));
  };
}

function awaitHalt(agent: AgentConfig, relays: Reporting): AwaitedEnd {
  const peers = relays.peersOf(agent);
  const before = relays.report(agent);
  const why = () => {
    const now = relays.report(agent);
    // What the relay said before it was told explains nothing.
    return now === undefined || now === before || now.halted ? '' : now.problem;
  };
  return { name: () => nameOf(agent, peers, why()), over: relays.halted(agent) };
}

function nameOf({ name, relay }: AgentConfig, peers: readonly string[], why: string): string {
  if (peers.length === 0) return `agent ${name} (relay ${relay} is not connected)`;
  const more = peers.length > mostNamed ? ` and ${peers.length - mostNamed} more` : '';
  const reason = why === '' ? '' : `: ${why}`;
  return `agent ${name} (relay ${relay} at ${peers.slice(0, mostNamed).join(' and ')}${more}${reason})`;
}
