import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import type { Outcome } from '../../gen/clawrden/v1/execution.ts';
import { type FollowOutputResponse, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { fromWireOutcome } from '../../wire/outcome-message.ts';
import { printJson } from '../print/output.ts';
import { tell } from '../print/tell.ts';
import { CliError } from '../reach/cli-error.ts';
import { createTerminalWriter } from './terminal-writer.ts';

type FollowedEvent = NonNullable<FollowOutputResponse['event']>;

/** What a running command writes, until it ends: to stdout and stderr, as the tool wrote it. */
export async function followLogs(
  client: GatewayClient,
  asked: { readonly id: string; readonly caller: string },
  { json }: { readonly json?: boolean },
): Promise<void> {
  const { execution } = await client.call(WardenServiceService.getExecution, asked);
  const id = execution?.id ?? asked.id;
  if (execution?.state === 'ended')
    throw new CliError('logs', `${id} has ended`, 'see clawrden replay ID, or clawrden show ID --output');
  const stream = client.stream(WardenServiceService.followOutput, { id, fromNow: false });
  const events = stream as AsyncIterable<FollowOutputResponse>;
  if (json === true) {
    for await (const { event } of events) if (event !== undefined) printJson(toJson(event));
    return;
  }
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  using writer = createTerminalWriter('logs');
  for await (const { event } of events) {
    if (event?.$case === 'stdout' || event?.$case === 'stderr')
      await writer.write(decoders[event.$case].decode(event.value, { stream: true }), event.$case);
    if (event?.$case === 'gap') writer.gap(`${event.value} bytes were left out here`);
    if (event?.$case === 'outcome') tell(`clawrden: logs: ${outcomeText(event.value)}`);
  }
}

/** In Base64, because the bytes may have no encoding. */
function toJson(event: FollowedEvent): object {
  if (event.$case === 'outcome') return { type: event.$case, outcome: fromWireOutcome(event.value) };
  if (event.$case === 'gap') return { type: event.$case, bytes: Number(event.value) };
  return { type: event.$case, data: Buffer.from(event.value).toString('base64') };
}

function outcomeText(wire: Outcome): string {
  const outcome = fromWireOutcome(wire);
  if (outcome.kind !== 'exited') return 'text' in outcome ? outcome.text : `it ended: ${outcome.kind}`;
  return outcome.signal === 0 ? `it ended with ${outcome.code}` : `it ended by signal ${outcome.signal}`;
}
