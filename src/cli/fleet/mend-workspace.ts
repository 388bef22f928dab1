import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type TrustWorkspaceRequest, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { renderText } from '../../text/render-text.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { viewWorkspace } from './print-workspace.ts';

/** It may move gigabytes between the hosts. */
const mendWithinMs = 11 * 60_000;

export async function trustWorkspace(
  client: GatewayClient,
  request: TrustWorkspaceRequest,
  options: GatewayOptions,
): Promise<void> {
  const { entries, left } = await client.call(WardenServiceService.trustWorkspace, request, mendWithinMs);
  const hosts = left.map(({ host, problem }) => ({ host, problem }));
  if (options.json === true) printJson({ agent: request.agent, entries, left: hosts });
  else
    printLine(['done ', 'green'], `the workspace of ${request.agent} has ${entries} entries, and is trusted`);
  if (hosts.length === 0) return;
  const why = hosts.map(({ host, problem }) => `${host}: ${renderText(problem)}`).join('; ');
  throw new CliError(
    'workspace trust',
    `not every replica has taken it: ${why}`,
    'do it again when they are there',
  );
}

export interface ResetWish {
  readonly agent: string;
  readonly force: boolean;
  readonly discard: boolean;
  readonly reason: string;
}

export async function resetReplicas(
  client: GatewayClient,
  host: string | undefined,
  wish: ResetWish,
  options: GatewayOptions,
): Promise<void> {
  const done: object[] = [];
  for (const each of host === undefined ? await hostsOf(client, wish.agent) : [host]) {
    const request = { ...wish, host: each };
    const { keptId, keptCount } = await client.call(WardenServiceService.resetReplica, request, mendWithinMs);
    done.push({ host: each, keptId, keptCount });
    const changes =
      keptCount === 1 ? '1 change that only it had is' : `${keptCount} changes that only it had are`;
    const kept = keptId === '' ? '' : `; ${changes} kept as ${keptId}`;
    if (options.json !== true) printLine(['done ', 'green'], `the replica on ${each} is removed${kept}`);
  }
  if (options.json === true) printJson(done);
  else if (done.length === 0) printLine('no Docker host has a replica');
}

async function hostsOf(client: GatewayClient, agent: string): Promise<string[]> {
  const { replicas } = await viewWorkspace(client, agent);
  return replicas.map(({ host }) => host);
}
