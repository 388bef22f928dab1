import { type handleBidiStreamingCall, type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { onAbort } from '../../src/abort.ts';
import {
  type RelayServiceServer,
  RelayServiceService,
  type SynchronizeRequest,
  type SynchronizeResponse,
} from '../../src/gen/clawrden/v1/relay.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { contract } from '../../src/wire/contract.ts';
import { homeMessage } from '../../src/wire/home-message.ts';
import { createCallBudget } from '../connections/call-budget.ts';
import type { Authorities } from '../keys/authorities.ts';
import type { Enrolment } from '../ports/authentication.ts';
import type { RelayRegistry, RelayState } from '../ports/relay-state.ts';
import type { Callers } from './calls/authenticate.ts';
import { CallRefused, toStatus } from './calls/errors.ts';
import { type RelayCallRates, relayCallRates } from './calls/relay-call-rates.ts';
import { unary } from './calls/unary.ts';
import { carry, type OfferHome, type OfferLane } from './carry.ts';
import { newestReport } from './newest-report.ts';

export interface RelayServiceParts {
  readonly callers: Callers;
  readonly enrolment: Enrolment;
  readonly authorities: Pick<Authorities, 'print'>;
  readonly relays: RelayRegistry;
  readonly offerHome: OfferHome;
  readonly offerWayOut: OfferLane;
  /** `relayCallRates` if absent. */
  readonly rates?: RelayCallRates;
  /** Aborts when the server closes: relays are disconnected at once, and connect to the next gateway. */
  readonly closing: AbortSignal;
  readonly log: Logger;
}

/** Each report is held to everything that the relay should have. */
const reportEveryMs = 20;

type SynchronizeCall = ServerDuplexStream<SynchronizeRequest, SynchronizeResponse>;

/** Without `Enroll`, which has a listener of its own: its callers have no certificate yet. */
export const relayCalls = {
  token: RelayServiceService.token,
  renew: RelayServiceService.renew,
  synchronize: RelayServiceService.synchronize,
  carry: RelayServiceService.carry,
  wayOut: RelayServiceService.wayOut,
} as const;

/** The calls of relays over mTLS. */
export function relayService(parts: RelayServiceParts): Pick<RelayServiceServer, keyof typeof relayCalls> {
  const { token, renew } = parts.rates ?? relayCallRates;
  const [tokens, renewals] = [createCallBudget('tokens', token), createCallBudget('certificates', renew)];
  return {
    token: unary(async (_request, call) => {
      const admission = parts.callers.admissionOf(call);
      if (admission === undefined) throw new CallRefused(status.UNAUTHENTICATED, 'no client certificate');
      tokens.charge(`${admission.peer.kind}:${admission.peer.name}`);
      const issued = await admission.issueToken();
      if ('refused' in issued) throw new CallRefused(status.UNAUTHENTICATED, issued.refused);
      return { ...issued.value, authority: parts.authorities.print() };
    }),
    renew: unary(async ({ certificateRequest }, call) => {
      const { kind, name } = parts.callers.of(call);
      const admission = parts.callers.admissionOf(call);
      const place = parts.callers.placeOf(call);
      if (admission === undefined) throw new CallRefused(status.UNAUTHENTICATED, 'no client certificate');
      renewals.charge(`${kind}:${name}`);
      const renewed = await parts.enrolment.renew(admission.peer, certificateRequest, admission);
      if ('refused' in renewed) throw new CallRefused(status.PERMISSION_DENIED, renewed.refused);
      // A relay goes over to it while it synchronizes.
      if (place !== undefined) place.renewedTo = fingerprintOfPem(renewed.value.certificate);
      parts.log.info({ peer: call.getPeer(), [kind]: name }, 'certificate renewed');
      return { certificate: renewed.value.certificate, certificateAuthority: renewed.value.authority };
    }),
    synchronize: synchronize(parts),
    carry: carry({ ...parts, offer: parts.offerHome }),
    wayOut: carry({ ...parts, offer: parts.offerWayOut }),
  };
}

function synchronize({
  callers,
  relays,
  closing,
}: RelayServiceParts): handleBidiStreamingCall<SynchronizeRequest, SynchronizeResponse> {
  return (call) => {
    const caller = callers.of(call);
    const [admission, place] = [callers.admissionOf(call), callers.placeOf(call)];
    if (admission === undefined || place === undefined) return refuse(call, 'only relays synchronize');
    if (!place.begin()) {
      // Whatever failed there, the relay continues over a new connection.
      place.displaced();
      return refuse(call, 'a connection synchronizes once; connect again');
    }
    const gone = new AbortController();
    const over = (end: () => void): void => {
      if (gone.signal.aborted) return;
      gone.abort();
      end();
    };
    const leave = () =>
      over(() => {
        call.end();
        place.left();
      });
    call.on('cancelled', leave);
    const listening = onAbort(closing, () => over(() => call.end()));
    onAbort(gone.signal, () => listening[Symbol.dispose]());
    const report = relays.connect(
      caller.name,
      {
        peer: call.getPeer(),
        fingerprint: admission.fingerprint,
        serial: admission.serial,
        renewedTo: () => place.renewedTo,
        push: latestTo(call),
        displaced: (details) =>
          over(() => {
            place.displaced();
            call.emit('error', { code: status.ABORTED, details });
          }),
        handOver: (until) =>
          over(() => {
            place.handOver(until);
            call.end();
          }),
      },
      gone.signal,
    );
    const reports = newestReport(report, reportEveryMs);
    call.on('data', ({ version, agents, contract: needed }: SynchronizeRequest) =>
      reports.hear({ version, agents, contract: needed }),
    );
    call.on('end', () => {
      // A relay that leaves says why in its last report.
      reports.flush();
      leave();
    });
  };
}

function refuse(call: SynchronizeCall, why: string): void {
  call.emit('error', toStatus(new CallRefused(status.PERMISSION_DENIED, why)));
}

/** A relay that reads slowly gets only the newest state, not all. */
function latestTo(call: SynchronizeCall): (state: RelayState) => void {
  let writing = false;
  let next: RelayState | undefined;

  function write(state: RelayState): void {
    writing = true;
    call.write(toResponse(state), () => {
      writing = false;
      const newer = next;
      next = undefined;
      if (newer !== undefined) write(newer);
    });
  }

  return (state) => {
    if (writing) next = state;
    else write(state);
  };
}

function toResponse({ lockdown, authority = '', leaving = false, agents }: RelayState): SynchronizeResponse {
  return {
    ...{ lockdown, authority, contract, leaving },
    agents: agents.map(({ tools, users, workspace, wayOut, ...agent }) => ({
      ...agent,
      tools: [...tools],
      users: [...users],
      workspace: workspace && homeMessage(workspace),
      wayOut: wayOut && { environment: [...wayOut.environment] },
    })),
  };
}
