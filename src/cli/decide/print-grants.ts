import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Grant, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { commandText } from '../../text/command-text.ts';
import { renderArgument } from '../../text/render-text.ts';
import { type Cell, printJson, printLine, printTable } from '../print/output.ts';
import { between, localTime } from '../print/times.ts';
import { type Pages, readPages, sayMore } from '../reach/read-pages.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';

export async function printGrants(client: GatewayClient, options: GatewayOptions & Pages): Promise<void> {
  const listed = await readPages<Grant>(options, async (request) => {
    const { grants, nextPageToken } = await client.call(WardenServiceService.listGrants, request);
    return { rows: grants, next: nextPageToken };
  });
  if (options.json === true) printJson(listed.rows);
  else if (listed.rows.length === 0) printLine('nothing runs by a grant');
  else printTable(['GRANT', 'AGENT', 'COMMAND', 'GIVEN BY', 'AT', 'ENDS IN', 'RULE'], listed.rows.map(rowOf));
  sayMore('grants', listed);
}

function rowOf(grant: Grant): Cell[] {
  const now = new Date().toISOString();
  return [
    grant.id,
    grant.agent === '' ? 'none' : renderArgument(grant.agent),
    grant.argv.length === 0 ? `plan ${grant.planHash}` : commandText(grant),
    grant.givenBy.join(', '),
    localTime(grant.givenAt),
    between(now, grant.expiresAt),
    renderArgument(grant.rule),
  ];
}
