import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import {
  type ResetSessionsRequest,
  type Session,
  WardenServiceService,
} from '../../gen/clawrden/v1/warden.ts';
import { renderArgument, renderText } from '../../text/render-text.ts';
import { type Cell, printJson, printLine, printTable } from '../print/output.ts';
import { between, localTime } from '../print/times.ts';
import { CliError } from '../reach/cli-error.ts';
import { type Pages, readPages, sayMore } from '../reach/read-pages.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';

export async function printSessions(client: GatewayClient, options: GatewayOptions & Pages): Promise<void> {
  const listed = await readPages<Session>(options, async (request) => {
    const { sessions, nextPageToken } = await client.call(WardenServiceService.listSessions, request);
    return { rows: sessions, next: nextPageToken };
  });
  if (options.json === true) printJson(listed.rows);
  else if (listed.rows.length === 0) printLine('no agent has a session');
  else
    printTable(
      ['AGENT', 'IMAGE', 'STATE', 'COMMANDS', 'SINCE', 'UNUSED FOR', 'HOST', 'CONTAINER'],
      listed.rows.map(rowOf),
    );
  sayMore('session list', listed);
}

const stateColors = { starting: 'yellow', open: 'green', ending: 'yellow' } as const;

function rowOf({ agent, image, state, commands, since, usedAt, host, container }: Session): Cell[] {
  return [
    renderArgument(agent),
    renderArgument(image),
    [state, stateColors[state as keyof typeof stateColors] ?? 'grey'],
    `${commands}`,
    localTime(since),
    commands > 0 ? '' : between(usedAt, new Date().toISOString()),
    host === '' ? '' : renderArgument(host),
    container.slice(0, 12),
  ];
}

/** A container goes within 10 s, or is said to be left. */
const resetWithinMs = 20_000;

export async function resetSessionsOf(
  client: GatewayClient,
  request: ResetSessionsRequest,
  options: GatewayOptions,
): Promise<void> {
  const { ended, unconfirmed } = await client.call(
    WardenServiceService.resetSessions,
    request,
    resetWithinMs,
  );
  if (options.json === true) printJson({ agent: request.agent, ended, unconfirmed });
  else if (ended > 0)
    printLine(['done ', 'green'], `${ended} ended; the next command of ${request.agent} gets a fresh one`);
  else if (unconfirmed.length === 0) printLine(`${renderArgument(request.agent)} has no session`);
  if (unconfirmed.length === 0) return;
  const hosts = unconfirmed.map(renderText).join(', ');
  throw new CliError(
    'session reset',
    `it may still be there on ${hosts}`,
    'it is removed as soon as that Docker host answers',
  );
}
