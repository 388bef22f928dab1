import { finished } from 'node:stream/promises';
import type { ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { abortable } from '../../../src/abort.ts';
import type { CarryRequest, CarryResponse } from '../../../src/gen/clawrden/v1/relay.ts';
import { byteLane } from '../../../src/wire/byte-lane.ts';
import type { HomeCarrier } from './home-carrier.ts';
import type { HomeWish } from './home-wish.ts';

export type CarryStream = ClientDuplexStream<CarryRequest, CarryResponse>;

/** The gateway has this long to take the last bytes of a carrier that has ended. */
const partWithinMs = 2000;

/**
 * Passes the frames of a home's carrier to the gateway and back, until either ends or `signal` aborts; then both end.
 * Resolves when both are gone, with the reason.
 */
export async function carryLane(
  agent: string,
  { kind, source }: Pick<HomeWish, 'kind' | 'source'>,
  carrier: HomeCarrier,
  stream: CarryStream,
  signal: AbortSignal,
): Promise<string> {
  const { input, output, end } = carrier;
  const status = new Promise<StatusObject>((resolve) => stream.once('status', resolve));
  const lane = byteLane<CarryRequest, CarryResponse>(stream, {
    wrap: (value) => ({ message: { $case: 'frames', value } }),
    unwrap: ({ frames }) => frames,
    abort: () => stream.cancel(),
  });
  lane.on('error', () => {});
  const home = { $case: kind, value: source };
  stream.write({ message: { $case: 'start', value: { agent, home } } });
  lane.pipe(input);
  output.pipe(lane);
  const over = Promise.race([finished(lane, { writable: false }), finished(output)]).catch(() => {});
  await abortable(over, signal).catch(() => {});
  // What it still says has no reader, and a carrier that cannot write does not end.
  output.unpipe(lane);
  output.resume();
  const how = await end();
  lane.end();
  const late = setTimeout(() => lane.destroy(), partWithinMs);
  const { details } = await status;
  clearTimeout(late);
  if (signal.aborted) return (signal.reason as Error).message;
  return details === '' ? `the carrier ${how}` : details;
}
