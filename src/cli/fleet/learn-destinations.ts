import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import {
  type LearnEgressRequest,
  type LearnEgressResponse,
  WardenServiceService,
} from '../../gen/clawrden/v1/warden.ts';
import { asciiJson } from '../../text/ascii-json.ts';
import { escapeUnprintable, renderArgument } from '../../text/render-text.ts';
import { printJson } from '../print/output.ts';
import { writeOut } from '../print/streams.ts';
import { tell } from '../print/tell.ts';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Tells each destination as it comes, and prints all of them at the end, also if the gateway is lost. */
export async function learnDestinations(
  client: GatewayClient,
  wanted: LearnEgressRequest,
  json: boolean,
): Promise<void> {
  const found: string[] = [];
  let [network, isBegun, isAsked] = ['none', false, false];
  const stream = client.stream(WardenServiceService.learnEgress, wanted);
  const leave = () => {
    isAsked = true;
    stream.cancel();
  };
  for (const signal of endingSignals) process.once(signal, leave);
  try {
    for await (const { event } of stream as AsyncIterable<LearnEgressResponse>) {
      if (event?.$case === 'begun') {
        isBegun = true;
        network = event.value.network;
        tell(begunLine(wanted, event.value));
      }
      if (event?.$case === 'destination') {
        found.push(event.value);
        tell(`reached ${renderArgument(event.value)}`);
      }
      if (event?.$case === 'ended')
        tell(`clawrden: egress learn: it has ended: ${escapeUnprintable(event.value)}`);
    }
  } catch (error) {
    if (!isAsked) throw error;
  } finally {
    for (const signal of endingSignals) process.off(signal, leave);
    if (isBegun) print(wanted, found.toSorted(), network, json);
  }
}

function begunLine({ agent, tool }: LearnEgressRequest, { until }: { readonly until: string }): string {
  const what = `new commands of ${renderArgument(tool)} by ${renderArgument(agent)} reach every public address`;
  return `clawrden: egress learn: until ${escapeUnprintable(until)} ${what}; ^C ends it, and prints what they reached`;
}

function print(
  { agent, tool }: LearnEgressRequest,
  allow: readonly string[],
  network: string,
  json: boolean,
): void {
  if (json) return printJson({ agent, tool, network, allow });
  const besides = network === 'none' ? '' : `, besides network ${renderArgument(network)}`;
  writeOut(`# What ${renderArgument(tool)} of ${renderArgument(agent)} reached${besides}.\n`);
  writeOut('# The command, and who wrote it, chose these names: read each before you allow it.\n');
  const lines = allow.map((to) => `  - ${asciiJson(to)}\n`);
  writeOut(lines.length === 0 ? 'allow: []\n' : `allow:\n${lines.join('')}`);
}
