import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Agent, type Host, type Relay, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { allRows } from '../reach/all-rows.ts';

export function listHosts(client: GatewayClient): Promise<readonly Host[]> {
  return allRows(client, WardenServiceService.listHosts, ({ hosts }) => hosts);
}

export function listAgents(client: GatewayClient): Promise<readonly Agent[]> {
  return allRows(client, WardenServiceService.listAgents, ({ agents }) => agents);
}

export function listRelays(client: GatewayClient): Promise<readonly Relay[]> {
  return allRows(client, WardenServiceService.listRelays, ({ relays }) => relays);
}
