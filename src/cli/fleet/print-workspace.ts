import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import {
  type GetWorkspaceResponse,
  WardenServiceService,
  type WorkspaceHome,
  type WorkspaceReplica,
} from '../../gen/clawrden/v1/warden.ts';
import { renderBytes, renderPath, renderText } from '../../text/render-text.ts';
import { sizeText } from '../../text/size-text.ts';
import { type Cell, type Fact, printFacts, printJson, printLine, printTable } from '../print/output.ts';
import { localTime } from '../print/times.ts';
import { CliError } from '../reach/cli-error.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';

/** A home with very many files that has too few watches is looked at file by file. */
const viewWithinMs = 60_000;
const skippedShown = 20;

export async function viewWorkspace(client: GatewayClient, agent: string): Promise<GetWorkspaceResponse> {
  return client.call(WardenServiceService.getWorkspace, { agent }, viewWithinMs);
}

export async function printStatus(
  client: GatewayClient,
  agent: string,
  host: string | undefined,
  options: GatewayOptions,
): Promise<void> {
  const { home, replicas: all } = await viewWorkspace(client, agent);
  const replicas = all.filter((replica) => host === undefined || replica.host === host);
  if (host !== undefined && replicas.length === 0)
    throw new CliError(
      'workspace status',
      `agent ${agent} has no replica on ${host}`,
      'leave the host out to see all',
    );
  if (options.json === true) return printJson({ agent, home: home && homeJson(home), replicas });
  if (home !== undefined) printFacts(homeFacts(home));
  if (replicas.length === 0) return printLine('no Docker host has a replica');
  const headers = ['HOST', 'CARRIER', 'POSITION', 'SIZE', 'NOT AT HOME', 'COMMANDS', 'USED', 'PROBLEM'];
  printTable(headers, replicas.map(replicaRow));
}

function homeJson({ skipped, ...home }: WorkspaceHome): object {
  return {
    ...home,
    skipped: skipped.map(({ path, why }) => ({
      path: renderBytes(path),
      pathBase64: Buffer.from(path).toString('base64'),
      why,
    })),
  };
}

function homeFacts(home: WorkspaceHome): Fact[] {
  if (home.problem !== '') return [['home', [renderText(home.problem), 'red']]];
  const shown = home.skipped.slice(0, skippedShown);
  const more = home.skippedCount - shown.length;
  return [
    ['home', `${home.entries} entries, ${sizeText(home.bytes)}`],
    ...stateTexts(home).map((text): Fact => ['state', text]),
    ...shown.map(({ path, why }): Fact => ['not carried', `${renderPath(path)}: ${renderText(why)}`]),
    ...(more > 0 ? [['not carried', `and ${more} more`] as const] : []),
  ];
}

function stateTexts(home: WorkspaceHome): Cell[] {
  const texts: (Cell | false)[] = [
    home.lost && ['its folder is not at its place: nothing is carried until it is', 'red'],
    home.suspect && [
      'most of it is gone: nothing is sent; if that is meant, clawrden workspace trust',
      'red',
    ],
    home.full && ['a limit is reached: what is above it is not carried', 'yellow'],
    home.scans && ['too few inotify watches: each command looks at everything', 'yellow'],
    home.unconfined && ['its carrier has no jail', 'yellow'],
  ];
  const found = texts.filter((text) => text !== false);
  return found.length === 0 ? [['ok', 'green']] : found;
}

const colors = { current: 'green', behind: 'yellow', unknown: 'yellow' } as const;

function replicaRow(replica: WorkspaceReplica): Cell[] {
  const { position, behind } = replica;
  const known = position as keyof typeof colors;
  return [
    replica.host,
    replica.running ? 'runs' : 'stopped',
    position === '' ? '' : [position === 'behind' ? `behind by ${behind}` : position, colors[known]],
    replica.bytes === 0n ? '' : sizeText(replica.bytes),
    replica.unsent === 0n ? '' : `${replica.unsent}`,
    `${replica.commands}`,
    replica.usedAt === '' ? '' : localTime(replica.usedAt),
    [renderText(replica.problem), 'red'],
  ];
}
