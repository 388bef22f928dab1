import type { Logger } from 'pino';
import type { ListenAddress } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { executeMethod } from '../../src/wire/execute-method.ts';
import type { ConnectionLimits } from '../connections/bounds.ts';
import type { LookTurns } from '../connections/look-turns.ts';
import type { Execute, Resume } from '../execute.ts';
import type { Authorities } from '../keys/authorities.ts';
import type { Authentication, Enrolment } from '../ports/authentication.ts';
import type { RelayRegistry } from '../ports/relay-state.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { authenticateCalls } from './calls/authenticate.ts';
import { firstMessageWithin } from './calls/first-message.ts';
import { type RelayCallRates } from './calls/relay-call-rates.ts';
import type { OfferHome, OfferLane } from './carry.ts';
import { executionService } from './execute/execution-service.ts';
import { Front } from './front/front.ts';
import { closeServer, listen, newServer } from './front/listen.ts';
import { callersPace, type Pace } from './front/pace.ts';
import { addIntrospection } from './introspection.ts';
import { relayCalls, relayService } from './relay-service.ts';
import type { SignIn } from './warden/sign-in-call.ts';
import { wardenService } from './warden/warden-service.ts';

export interface GrpcServerOptions {
  readonly listen: ListenAddress;
  /** The server's own chain and key, and the authorities whose clients may connect. */
  readonly authorities: Authorities;
  readonly authentication: Authentication;
  readonly enrolment: Enrolment;
  readonly execute: Execute;
  readonly resume: Resume;
  readonly warden: WardenApi;
  readonly looks: LookTurns;
  readonly signIn: SignIn;
  readonly relays: RelayRegistry;
  readonly offerHome: OfferHome;
  readonly offerWayOut: OfferLane;
  readonly limits: ConnectionLimits;
  /** `relayCallRates` if absent. */
  readonly rates?: RelayCallRates;
  /** `callersPace` if absent. */
  readonly pace?: Pace;
  readonly faults: Faults;
  readonly log: Logger;
}

export interface RunningServer {
  readonly port: number;
  /** Reports NOT_SERVING, takes no new calls, and ends the open ones after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Serves relays, orchestrators and people over mTLS. Rejects if the address is not available. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningServer> {
  const { authentication, authorities, limits, pace = callersPace, faults, log } = options;
  const admit = (der: Uint8Array) => authentication.admit(der);
  const front = new Front({ limits, pace, admit, relays: options.relays, faults, log });
  const callers = authenticateCalls(front, log);
  const closing = new AbortController();
  const server = newServer(front, pace, {
    interceptors: [firstMessageWithin(pace.firstMessageMs, faults), callers.interceptor],
  });
  server.addService({ execute: executeMethod }, executionService(options, callers));
  server.addService(relayCalls, relayService({ ...options, callers, closing: closing.signal }));
  server.addService(WardenServiceService, wardenService({ ...options, callers }));
  const introspection = addIntrospection(server);
  const tls = {
    now: () => ({ ...authorities.server(), clientAuthority: authorities.trusted() }),
    watch: authorities.watch,
  };
  const port = await listen(server, options.listen, tls, front);
  authentication.onRevoked(front.look);
  authorities.watch(front.look);
  return {
    port,
    close: async (graceMs) => {
      introspection.notServing();
      closing.abort();
      await closeServer(server, graceMs);
      // Without channelz, grpc-js forgets its sessions in a forced shutdown: their peers would wait for another 8 s.
      front[Symbol.dispose]();
    },
  };
}
