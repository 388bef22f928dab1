import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Agent, type Host, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { readPages } from '../reach/read-pages.ts';

export async function listHosts(client: GatewayClient): Promise<readonly Host[]> {
  const { rows } = await readPages({}, async ({ pageToken }) => {
    const { hosts, nextPageToken } = await client.call(WardenServiceService.listHosts, { pageToken });
    return { rows: hosts, next: nextPageToken };
  });
  return rows;
}

export async function listAgents(client: GatewayClient): Promise<readonly Agent[]> {
  const { rows } = await readPages({}, async ({ pageToken }) => {
    const { agents, nextPageToken } = await client.call(WardenServiceService.listAgents, { pageToken });
    return { rows: agents, next: nextPageToken };
  });
  return rows;
}
