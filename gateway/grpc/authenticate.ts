import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import type { Authentication, Checked } from '../authentication.ts';
import type { Caller } from '../caller.ts';
import { peerCertificate } from './peer-certificate.ts';

/** Tells who makes a call; nothing in the call's messages has a say in it. */
export interface Callers {
  /** The caller of a call that got past the interceptor. */
  readonly of: (call: { readonly metadata: Metadata }) => Caller;
  /** Refuses every call, of every service, without a valid certificate and a JWT bound to it; but `Token`. */
  readonly interceptor: ServerInterceptor;
}

const bearerPattern = /^Bearer ([\w.-]+)$/;

export function authenticateCalls(authentication: Authentication, log: Logger): Callers {
  // A call keeps its metadata object from the interceptor to the handler.
  const callers = new WeakMap<Metadata, Caller>();

  async function check(call: ServerInterceptingCallInterface, metadata: Metadata): Promise<Checked<Caller>> {
    const der = peerCertificate(call);
    if (der === undefined) return { refused: 'no client certificate' };
    const header = metadata.get('authorization');
    const token = bearerPattern.exec(header.length === 1 ? String(header[0]) : '')?.[1];
    if (token === undefined) return { refused: 'no bearer token' };
    return await authentication.callerOf(der, token);
  }

  function admit(
    call: ServerInterceptingCallInterface,
    path: string,
    metadata: Metadata,
    pass: (metadata: Metadata) => void,
  ): void {
    check(call, metadata).then(
      (checked) => {
        if ('value' in checked) {
          callers.set(metadata, checked.value);
          pass(metadata);
        } else {
          log.warn({ peer: call.getPeer(), path, reason: checked.refused }, 'call refused');
          call.sendStatus({ code: status.UNAUTHENTICATED, details: checked.refused });
        }
      },
      (error: unknown) => {
        log.error({ error, peer: call.getPeer(), path }, 'a call could not be authenticated');
        call.sendStatus({ code: status.INTERNAL, details: 'the call could not be authenticated' });
      },
    );
  }

  return {
    of: ({ metadata }) => {
      const caller = callers.get(metadata);
      if (caller === undefined) throw new Error('a call got past authentication');
      return caller;
    },
    interceptor: ({ path }, call) => {
      if (path === RelayServiceService.token.path) return new ServerInterceptingCall(call);
      return new ServerInterceptingCall(call, {
        start: (next) => {
          next({ onReceiveMetadata: (metadata, pass) => admit(call, path, metadata, pass) });
        },
      });
    },
  };
}
