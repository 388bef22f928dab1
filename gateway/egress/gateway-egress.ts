import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { createCrumbBudgets } from '../../src/crumb-budgets.ts';
import { type Connect, guardedConnect } from '../../src/egress/guarded-connect.ts';
import { ownAddresses } from '../../src/egress/own-addresses.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';
import type { Faults } from '../../src/faults.ts';
import type { LiveConfig } from '../live-config/reload-config.ts';
import type { OpenWayOut } from '../ports/way-out.ts';
import type { Secret } from '../secrets/open-secrets.ts';
import { type AgentWays, type AgentWaysParts, createAgentWays } from './agent-ways.ts';
import { type Egress, type EgressParts, openEgress } from './open-egress.ts';
import { openWayOutWith, wayOutMaker } from './open-way-out.ts';
import { ownHosts } from './own-hosts.ts';

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
  const ours = ownAddresses(() => ownHosts(config, [...live.hosts().values()]), resolveName);
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
  return { metrics, reaching, openWayOut: openWayOutWith(createWayOut), agentWays };
}
