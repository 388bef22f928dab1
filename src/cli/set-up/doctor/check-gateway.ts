import { join } from 'node:path';
import { z } from 'zod';
import { connectGateway, type GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../../gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../../gen/clawrden/v1/warden.ts';
import { identityFiles } from '../../../pki/identity-files.ts';
import { jsonFromBase64url } from '../../../text/base64url.ts';
import { renderText } from '../../../text/render-text.ts';
import { listAgents, listHosts, listRelays } from '../../fleet/list-fleet.ts';
import { otherVersions } from '../../fleet/other-versions.ts';
import { viewWorkspace } from '../../fleet/print-workspace.ts';
import { type Context, readContext } from '../../reach/context.ts';
import { toCliError } from '../../reach/grpc-error.ts';
import { checkCertificate, checkKey } from './check-certificate.ts';
import { judgeUnreadable } from './check-unreadable.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

const maxSkewSeconds = 30;

/** The person's own credentials, and the gateway as this person sees it. */
export async function checkGateway(contextFile: string | undefined): Promise<Finding[]> {
  let context: Context;
  try {
    context = readContext(contextFile);
  } catch (error) {
    return [doubtful('context', messageOf(error), 'without it only files can be checked')];
  }
  const { identity, gateway } = context;
  const renew = 'ask for new credentials, or make a new state folder with clawrden init';
  const credentials = [
    good('context', context.file),
    await checkCertificate('your certificate', join(identity, identityFiles.certificate), renew),
    await checkKey('your key', join(identity, identityFiles.key)),
  ];
  try {
    return [...credentials, ...(await askGateway(context))];
  } catch (error) {
    const known = messageOf(toCliError(error, 'gateway', { gateway, refused: '' }));
    const why = known.replace(/^clawrden: [^:]*: /, '').replace(/; [^;]*$/, '');
    return [...credentials, bad('gateway', why, 'start it: clawrden gateway --config FILE')];
  }
}

async function askGateway({ gateway, identity, trust }: Context): Promise<Finding[]> {
  const client = await connectGateway({ address: gateway, identityDir: identity, trust });
  try {
    return await findingsOf(client, gateway);
  } finally {
    client.close();
  }
}

async function findingsOf(client: GatewayClient, address: string): Promise<Finding[]> {
  const { token } = await client.call(RelayServiceService.token, {});
  const status = await client.call(WardenServiceService.getStatus, {});
  const [hosts, agents] = [await listHosts(client), await listAgents(client)];
  const others = otherVersions(status.version, await listRelays(client));
  const online = agents.filter((agent) => agent.online).map(({ name }) => name);
  return [
    good('gateway', `${address}, version ${status.version}, policy ${status.policyHash.slice(0, 12)}`),
    checkClock(token),
    ...(status.problem === ''
      ? []
      : [bad('gateway', renderText(status.problem), 'mend it: until then it refuses work')]),
    ...status.warnings.map((text) => warningOf(renderText(text))),
    ...others.map((text) =>
      doubtful('version', text, 'upgrade the gateway first, then its relays and command lines'),
    ),
    ...hosts.map((host) =>
      host.state === 'ready' && host.problem === ''
        ? good(`host ${host.name}`, 'ready')
        : bad(`host ${host.name}`, `${host.state}: ${renderText(host.problem)}`, 'see what the engine says'),
    ),
    ...agents.map((agent) =>
      agent.online
        ? good(`agent ${agent.name}`, `online through ${agent.relay}`)
        : doubtful(
            `agent ${agent.name}`,
            renderText(agent.problem),
            `on its host, run clawrden relay; to enrol it: clawrden relay invite ${agent.relay} --agent ${agent.name}`,
          ),
    ),
    ...(await Promise.all(online.map((name) => unreadableOf(client, name)))).flat(),
  ];
}

/** Nothing of an agent that no replica follows. */
async function unreadableOf(client: GatewayClient, agent: string): Promise<Finding[]> {
  return await viewWorkspace(client, agent).then(
    (found) => judgeUnreadable(agent, found),
    () => [],
  );
}

function warningOf(text: string): Finding {
  const [, agent, tool] = /^assigned:([^ :]+):([^ :]+) matches nothing: /.exec(text) ?? [];
  if (agent !== undefined)
    return doubtful('assignment', text, `put it back, or clawrden tools unassign ${agent} ${tool}`);
  if (text.startsWith('relay ')) return bad('relay', text, 'docs/operations.md says how to upgrade');
  if (/^(grpc|http)\.tls: /.test(text))
    return doubtful('certificate', text, 'docs/operations.md says how to replace it');
  // A note of what was found begins with its time.
  return /^(\S+Z )?the (full )?audit/.test(text)
    ? doubtful('audit', text, 'clawrden audit verify FILE; docs/operations.md says what to do')
    : doubtful('policy', text, 'clawrden policy check FILE');
}

/** A new token contains the gateway's time. */
function checkClock(token: string): Finding {
  const claims = z.object({ iat: z.number() });
  const { iat } = claims.parse(jsonFromBase64url(token.split('.')[1] ?? '')?.value);
  const skew = Math.round(Date.now() / 1000 - iat);
  const text = `${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead of'} the gateway's`;
  if (Math.abs(skew) <= maxSkewSeconds) return good('clock', text);
  return bad('clock', text, 'keep the clocks of all machines right (NTP): tokens are refused otherwise');
}
