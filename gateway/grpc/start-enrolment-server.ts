import type { ListenAddress } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import type { Authorities } from '../keys/authorities.ts';
import { firstMessageWithin } from './calls/first-message.ts';
import { type EnrollServiceParts, enrollOnly, enrollService } from './enroll-service.ts';
import { Front } from './front/front.ts';
import { closeServer, listen, newServer } from './front/listen.ts';
import { enrolmentPace, type Pace } from './front/pace.ts';
import type { RunningServer } from './start-grpc-server.ts';

export interface EnrolmentServerOptions extends EnrollServiceParts {
  readonly listen: ListenAddress;
  /** The chain that they show contains the authority: a machine that enrols looks for it. */
  readonly authorities: Pick<Authorities, 'server' | 'watch'>;
  /** `enrolmentPace` if absent. */
  readonly pace?: Pace;
  readonly faults: Faults;
}

// Any machine may connect here, so there is only room for what enrolment needs.
const limits = { connections: 64, perAddress: 16 };
const maxMessageBytes = 16 * 1024;
const maxStreams = 4;

/**
 * Serves `Enroll` while any enrolment token is valid, over TLS in which only the server shows a certificate. Rejects
 * if the address is not available.
 */
export async function startEnrolmentServer(options: EnrolmentServerOptions): Promise<RunningServer> {
  const { enrolment, authorities, pace = enrolmentPace, faults, log } = options;
  const shut = () => (enrolment.isOpen() ? undefined : 'no enrolment token is out');
  const front = new Front({ limits, pace, shut, faults, log });
  const server = newServer(front, pace, {
    interceptors: [firstMessageWithin(pace.firstMessageMs, faults)],
    'grpc.max_receive_message_length': maxMessageBytes,
  });
  server.addService(enrollOnly, enrollService(options));
  const tls = { now: () => ({ ...authorities.server(), maxStreams }), watch: authorities.watch };
  const port = await listen(server, options.listen, tls, front);
  return {
    port,
    close: async (graceMs) => {
      await closeServer(server, graceMs);
      front[Symbol.dispose]();
    },
  };
}
