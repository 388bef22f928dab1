import { pipeline } from 'node:stream';
import type { StatusObject } from '@grpc/grpc-js';
import {
  CarrierProcess,
  carrierBuilds,
  helloOf,
  type Place,
} from '../../shim/native/test/carrier-process.ts';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { encodeHello } from '../../src/carrier-client/hello.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { CarryRequest, CarryResponse, CarryStart } from '../../src/gen/clawrden/v1/relay.ts';
import { byteLane } from '../../src/wire/byte-lane.ts';
import { encodeFrame } from '../../src/wire/frames.ts';

const [{ carrier: binary }] = carrierBuilds;

interface Lane {
  readonly call: ReturnType<GatewayClient['carry']>;
  readonly ended: Promise<StatusObject>;
}

/** Every call ends in one; `once` of node:events would take the 'error' before it. */
export function statusOf(call: Lane['call']): Lane['ended'] {
  call.on('error', () => {});
  return new Promise((resolve) => call.once('status', resolve));
}

type Home = CarryStart['home'];

export function openLane(client: GatewayClient, agent: string, home?: Home): Lane {
  const call = client.carry();
  const ended = statusOf(call);
  call.write({ message: { $case: 'start', value: { agent, home } } });
  return { call, ended };
}

/** What a relay does: a carrier's frames over a lane. */
export function carryFrom(client: GatewayClient, place: Place, agent = 'coder', home?: Home) {
  const lane = openLane(client, agent, home);
  const carrier = new CarrierProcess(binary);
  carrier.stream.write(encodeFrame(CarrierFrame.hello, encodeHello(helloOf(place))));
  const bytes = byteLane<CarryRequest, CarryResponse>(lane.call, {
    wrap: (value) => ({ message: { $case: 'frames', value } }),
    unwrap: ({ frames }) => frames,
    abort: () => lane.call.cancel(),
  });
  pipeline(bytes, carrier.stream, bytes, () => bytes.destroy());
  return { ...lane, carrier, [Symbol.asyncDispose]: () => carrier[Symbol.asyncDispose]() };
}
