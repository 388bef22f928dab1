import type { Duplex } from 'node:stream';
import { type handleBidiStreamingCall, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { onAbort } from '../../src/abort.ts';
import type { WorkspaceConfig } from '../../src/config/gateway-config.ts';
import type { CarryRequest, CarryResponse } from '../../src/gen/clawrden/v1/relay.ts';
import { byteLane } from '../../src/wire/byte-lane.ts';
import type { Callers } from './calls/authenticate.ts';
import { CallRefused, toStatus } from './calls/errors.ts';

/** Takes an agent's lane from a relay, or returns why it is refused. */
export type OfferLane = (relay: string, agent: string, lane: Duplex) => string | undefined;

/** The same of a lane to a home; an older relay does not say where that is. */
export type OfferHome = (
  ...offered: [...Parameters<OfferLane>, place?: Pick<WorkspaceConfig, 'kind' | 'source'>]
) => string | undefined;

export interface CarryParts {
  readonly callers: Callers;
  readonly offer: OfferHome;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

type CarryCall = ServerDuplexStream<CarryRequest, CarryResponse>;

/** A relay's lane: the first message names the agent and its home, all others are bytes of frames. */
export function carry({
  callers,
  offer,
  closing,
}: CarryParts): handleBidiStreamingCall<CarryRequest, CarryResponse> {
  return (call) => {
    const { name } = callers.of(call);
    call.once('end', () => void call.end());
    call.once('data', ({ message }: CarryRequest) => {
      if (message?.$case !== 'start')
        return refuse(call, status.INVALID_ARGUMENT, 'the start of a lane comes first');
      const lane = laneOf(call);
      const { agent, home } = message.value;
      const why = offer(name, agent, lane, home && { kind: home.$case, source: home.value });
      if (why !== undefined) return refuse(call, status.PERMISSION_DENIED, why);
      // Everybody may ask for one.
      callers.countAsLane(call, true);
      const listening = onAbort(closing, () => void lane.destroy());
      lane.once('close', () => {
        callers.countAsLane(call, false);
        listening[Symbol.dispose]();
      });
    });
  };
}

function laneOf(call: CarryCall): Duplex {
  return byteLane<CarryResponse, CarryRequest>(call, {
    wrap: (frames) => ({ frames }),
    unwrap: ({ message }) => (message?.$case === 'frames' ? message.value : undefined),
    abort: () => refuse(call, status.ABORTED, 'the lane has ended; open another'),
  });
}

/** Only the first end of a call counts. */
function refuse(call: CarryCall, code: status, why: string): void {
  if (!call.writableEnded) call.emit('error', toStatus(new CallRefused(code, why)));
}
