import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { CrumbPace } from '../../../src/crumb-budgets.ts';
import { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';
import { oncePerSecond } from '../../control/incidents.ts';
import type { Admission, Checked } from '../../ports/authentication.ts';
import { type Principal, principalName } from '../../ports/principal.ts';
import { permit } from '../../principals/call-rules.ts';
import type { Front } from '../front/front.ts';
import type { RelayPlace } from '../front/relay-place.ts';
import type { ServedCall } from '../front/served-call.ts';

/** Finds out who makes a call; nothing in the call's messages matters for that. */
export interface Callers {
  /** The caller of a call that the interceptor admitted. */
  readonly of: (call: { readonly metadata: Metadata }) => Principal;
  /** The certificate of the connection of a call; `undefined` if there is none. */
  readonly admissionOf: (call: { readonly metadata: Metadata }) => Admission | undefined;
  /** The connection of a relay's call; `undefined` for other callers. */
  readonly placeOf: (call: { readonly metadata: Metadata }) => RelayPlace | undefined;
  /** From now on small messages within the call have this pace. */
  readonly paceBy: (call: { readonly metadata: Metadata }, pace: CrumbPace) => void;
  /** Whether the call is an agent's lane now: what waits in it counts less. */
  readonly countAsLane: (call: { readonly metadata: Metadata }, is: boolean) => void;
  /**
   * Refuses every call of every service without a valid certificate and a JWT bound to it, except `Token`, and every
   * call that the table of roles does not give its caller. A relay's calls also wait for its `Synchronize`, and are refused over a connection without it.
   */
  readonly interceptor: ServerInterceptor;
}

const bearerPattern = /^Bearer ([\w.-]+)$/;

export function authenticateCalls({ serving }: Pick<Front, 'serving'>, log: Logger): Callers {
  // A call keeps its metadata object from the interceptor to the handler.
  const [callers, served] = [new WeakMap<Metadata, Principal>(), new WeakMap<Metadata, ServedCall>()];
  const warn = oncePerSecond((text, who, reason) => log.warn({ who, reason }, text));

  function admit(
    call: ServerInterceptingCallInterface,
    { path, who }: { readonly path: string; readonly who: string },
    checking: Promise<Checked<Principal>>,
    pass: (caller: Principal) => void,
  ): void {
    checking
      .then((checked) => {
        if ('value' in checked) return pass(checked.value);
        warn('call refused', who, `${checked.refused}, at ${path} from ${call.getPeer()}`);
        call.sendStatus({ code: status.UNAUTHENTICATED, details: checked.refused });
      })
      .catch((error: unknown) => {
        log.error({ error, path }, 'a call could not be authenticated');
        call.sendStatus({ code: status.INTERNAL, details: 'the call could not be authenticated' });
      });
  }

  return {
    of: ({ metadata }) => {
      const caller = callers.get(metadata);
      if (caller === undefined) throw new Error('a call got past authentication');
      return caller;
    },
    admissionOf: ({ metadata }) => served.get(metadata)?.admission,
    placeOf: ({ metadata }) => served.get(metadata)?.place,
    paceBy: ({ metadata }, pace) => served.get(metadata)?.paceBy(pace),
    countAsLane: ({ metadata }, is) => served.get(metadata)?.countAsLane(is),
    interceptor: ({ path }, call) => {
      const [now, gone] = [serving(), new AbortController()];
      return new ServerInterceptingCall(call, {
        start: (next) => {
          next({
            onReceiveMetadata: (metadata, pass) => {
              if (now !== undefined) served.set(metadata, now);
              if (path === RelayServiceService.token.path) return pass(metadata);
              const checking = check(now, metadata);
              const isFirst = path === RelayServiceService.synchronize.path;
              const checked = isFirst ? checking : placed(now?.place, checking, gone.signal);
              admit(call, { path, who: shownBy(now) }, checked, (caller) => {
                // Its connection may have ended meanwhile; then there is no peer to serve.
                if (gone.signal.aborted) return;
                const permitted = permit(caller, callOf(path));
                if ('refused' in permitted)
                  return call.sendStatus({ code: status.PERMISSION_DENIED, details: permitted.refused });
                callers.set(metadata, permitted.value);
                pass(metadata);
              });
            },
            onCancel: () => gone.abort(),
          });
        },
      });
    },
  };
}

/** The name in the certificate: there are few, and no peer chooses its own. */
function shownBy(served: ServedCall | undefined): string {
  return served?.admission === undefined ? '' : principalName(served.admission.peer);
}

/** `/clawrden.v1.WardenService/GetStatus` as the table of roles names it. */
export function callOf(path: string): string {
  return path.replace(/^\/(clawrden\.v1\.)?/, '');
}

/** The caller, once the place from which a relay calls is established. */
async function placed(
  place: RelayPlace | undefined,
  checking: Promise<Checked<Principal>>,
  gone: AbortSignal,
): Promise<Checked<Principal>> {
  const checked = await checking;
  if (place === undefined || place.stands() || 'refused' in checked) return checked;
  if (await place.untilItStands(gone)) return checked;
  return { refused: 'this connection of the relay does not synchronize' };
}

async function check(served: ServedCall | undefined, metadata: Metadata): Promise<Checked<Principal>> {
  if (served?.admission === undefined) return { refused: 'no client certificate' };
  if (served.authorizations > 1) return { refused: 'more than one authorization' };
  const header = metadata.get('authorization');
  const token = bearerPattern.exec(header.length === 1 ? String(header[0]) : '')?.[1];
  if (token === undefined) return { refused: 'no bearer token' };
  return await served.admission.callerOf(token);
}
