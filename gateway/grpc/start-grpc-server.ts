import type { Logger } from 'pino';
import type { ListenAddress } from '../../src/config/gateway-config.ts';
import { executeMethod } from '../../src/execute-method.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import type { Credentials } from '../../src/pki/authority.ts';
import type { Authentication, Enrolment } from '../authentication.ts';
import type { Execute, Resume } from '../execute.ts';
import type { RelayRegistry, WardenView } from '../warden-view.ts';
import { authenticateCalls } from './authenticate.ts';
import { executionService } from './execution-service.ts';
import { addIntrospection } from './introspection.ts';
import { closeServer, listen, newServer } from './listen.ts';
import { relayService } from './relay-service.ts';
import { watchSessions } from './sessions.ts';
import { wardenService } from './warden-service.ts';

export interface GrpcServerOptions {
  readonly listen: ListenAddress;
  /** The server's own chain and key, and the authority (PEM) whose clients may connect. */
  readonly server: Credentials;
  readonly authority: string;
  readonly authentication: Authentication;
  readonly enrolment: Enrolment;
  readonly execute: Execute;
  readonly resume: Resume;
  readonly warden: WardenView;
  readonly relays: RelayRegistry;
  readonly log: Logger;
}

export interface RunningServer {
  readonly port: number;
  /** Reports NOT_SERVING, takes no new calls, and cuts the open ones after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Serves relays, orchestrators and operators, over mTLS. Rejects where the address cannot be had. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<RunningServer> {
  const { authentication, log } = options;
  const callers = authenticateCalls(authentication, log);
  const closing = new AbortController();
  const server = newServer({ interceptors: [callers.interceptor] });
  server.addService({ execute: executeMethod }, executionService(options.execute, options.resume, callers));
  server.addService(RelayServiceService, relayService({ ...options, callers, closing: closing.signal }));
  server.addService(WardenServiceService, wardenService({ ...options, callers }));
  const introspection = addIntrospection(server);
  const port = await listen(server, options.listen, {
    ...options.server,
    clientAuthority: options.authority,
  });
  const sessions = watchSessions({
    port,
    check: authentication.peerOf,
    onRevoked: authentication.onRevoked,
    onEnded: (peer, reason) => log.warn({ peer, reason }, 'connection ended'),
  });
  return {
    port,
    close: async (graceMs) => {
      introspection.notServing();
      closing.abort();
      await closeServer(server, graceMs);
      sessions[Symbol.dispose]();
    },
  };
}
