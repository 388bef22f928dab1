import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { createCrumbBudgets } from '../../src/crumb-budgets.ts';
import { ownHostFinders } from '../../src/egress/find-own-host.ts';
import { type Connect, guardedConnect } from '../../src/egress/guarded-connect.ts';
import { type OwnAddresses, ownAddresses } from '../../src/egress/own-addresses.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';
import type { Faults } from '../../src/faults.ts';
import type { LiveConfig } from '../live-config/reload-config.ts';
import type { OpenWayOut } from '../ports/way-out.ts';
import type { Secret } from '../secrets/open-secrets.ts';
import { type AgentWays, type AgentWaysParts, createAgentWays } from './agent-ways.ts';
import { type Egress, type EgressParts, openEgress } from './open-egress.ts';
import { openWayOutWith, wayOutMaker } from './open-way-out.ts';
import { engineHosts, ownHosts } from './own-hosts.ts';

const mostAgents = 10_000;

type Asked = Pick<AgentWaysParts, 'policy' | 'states' | 'log'>;

interface GatewayEgressParts extends Asked, Pick<EgressParts, 'audit' | 'findLearning'> {
  readonly config: GatewayConfig;
  readonly live: Pick<LiveConfig, 'agents' | 'egress' | 'hosts'>;
  readonly faults: Faults;
  readonly secret: Secret;
}

export interface GatewayEgress extends Pick<Egress, 'metrics' | 'reaching'> {
  readonly openWayOut: OpenWayOut;
  readonly agentWays: AgentWays;
  /** A line for each host that was not found, and for each agent's way out that cannot be. */
  readonly problems: () => readonly string[];
}

/** The way out as gateway.yaml says it now: each connection is made by what is in force when it comes. */
export function openGatewayEgress({
  config,
  live,
  audit,
  faults,
  secret,
  findLearning,
  ...asked
}: GatewayEgressParts): GatewayEgress {
  const engines = () => [...live.hosts().values()];
  const lookUp = ownAddresses(() => ownHosts(config, engines()), ownHostFinders());
  let unfound: readonly string[] = [];
  const ours: OwnAddresses = async (signal) => {
    const own = await lookUp(signal);
    // Browsers alone may know the name of the page.
    unfound = own.unfound.filter((host) => engineHosts(engines()).includes(host));
    return { ...own, unfound };
  };
  const connect: Connect = async (wanted, signal) => {
    const { proxy } = live.egress();
    const guarded = guardedConnect({ resolve: resolveName, ours, ...(proxy !== undefined && { proxy }) });
    return await guarded(wanted, signal);
  };
  const routes = () => live.egress().routes;
  const egress = openEgress({ audit, connect, secret, routes, findLearning });
  const createWayOut = wayOutMaker(egress, faults);
  const paceOf = createCrumbBudgets(mostAgents);
  const agentWays = createAgentWays({ ...asked, ...live, routes, audit, createWayOut, paceOf });
  const { metrics, reaching } = egress;
  const problems = () => {
    const named = engineHosts(engines()).filter((host) => unfound.includes(host));
    return [...named.map(unfoundText), ...agentWays.problems()];
  };
  return { metrics, reaching, openWayOut: openWayOutWith(createWayOut), agentWays, problems };
}

function unfoundText(host: string): string {
  return `${host}, a Docker host of gateway.yaml, has no address here: tools reach no private destination until it has one, because it may be that`;
}
