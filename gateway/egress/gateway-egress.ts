import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { type Connect, guardedConnect } from '../../src/egress/guarded-connect.ts';
import { ownAddresses } from '../../src/egress/own-addresses.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';
import type { Faults } from '../../src/faults.ts';
import type { LiveConfig } from '../live-config/reload-config.ts';
import type { OpenWayOut } from '../ports/way-out.ts';
import type { Secret } from '../secrets/open-secrets.ts';
import { type Egress, type EgressParts, openEgress } from './open-egress.ts';
import { createWayOut } from './open-way-out.ts';
import { ownHosts } from './own-hosts.ts';

interface GatewayEgressParts extends Pick<EgressParts, 'audit'> {
  readonly config: GatewayConfig;
  readonly live: Pick<LiveConfig, 'egress' | 'hosts'>;
  readonly faults: Faults;
  readonly secret: Secret;
}

export interface GatewayEgress extends Pick<Egress, 'metrics'> {
  readonly openWayOut: OpenWayOut;
}

/** The way out as gateway.yaml says it now: each connection is made by what is in force when it comes. */
export function openGatewayEgress({
  config,
  live,
  audit,
  faults,
  secret,
}: GatewayEgressParts): GatewayEgress {
  const ours = ownAddresses(() => ownHosts(config, [...live.hosts().values()]), resolveName);
  const connect: Connect = async (wanted, signal) => {
    const { proxy } = live.egress();
    const guarded = guardedConnect({ resolve: resolveName, ours, ...(proxy !== undefined && { proxy }) });
    return await guarded(wanted, signal);
  };
  const egress = openEgress({
    ...{ audit, connect, secret },
    routes: () => live.egress().routes,
  });
  return { metrics: egress.metrics, openWayOut: createWayOut(egress, faults) };
}
