import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { renderText } from '../../text/render-text.ts';
import { type Fact, printFacts, printJson } from '../print/output.ts';
import { localTime } from '../print/times.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { listRelays } from './list-fleet.ts';
import { otherVersions } from './other-versions.ts';

export async function printStatus(client: GatewayClient, { json }: GatewayOptions): Promise<void> {
  const status = await client.call(WardenServiceService.getStatus, {});
  const others = otherVersions(status.version, await listRelays(client));
  if (json === true) return printJson({ ...status, otherVersions: others });
  const { version, startedAt, policyHash, running, queued, pending, problem, warnings, lockdown } = status;
  const facts: Fact[] = [
    ['version', renderText(version)],
    ['since', localTime(startedAt)],
    ['policy', policyHash],
    ['commands', `${running} running, ${queued} queued, ${pending} waiting for a person`],
    ['lockdown', lockdown ? ['on: every agent is stopped', 'red'] : ''],
    ['problem', problem === '' ? '' : [`${renderText(problem)}; new work is refused`, 'red']],
    ...[...warnings, ...others].map((text): Fact => ['warning', [renderText(text), 'yellow']]),
  ];
  printFacts(facts.filter(([, value]) => value !== ''));
}
