import type { ListenAddress } from '../../src/config/gateway-config.ts';
import type { Credentials } from '../../src/pki/authority.ts';
import { type EnrollServiceParts, enrollOnly, enrollService } from './enroll-service.ts';
import { closeServer, listen, newServer } from './listen.ts';
import type { RunningServer } from './start-grpc-server.ts';

export interface EnrolmentServerOptions extends EnrollServiceParts {
  readonly listen: ListenAddress;
  /** The chain must hold the authority: who enrols looks for it. */
  readonly server: Credentials;
}

/** Serves `Enroll`, over TLS that only the server proves itself in. Rejects where the address cannot be had. */
export async function startEnrolmentServer(options: EnrolmentServerOptions): Promise<RunningServer> {
  const server = newServer();
  server.addService(enrollOnly, enrollService(options));
  const port = await listen(server, options.listen, options.server);
  return { port, close: async (graceMs) => await closeServer(server, graceMs) };
}
