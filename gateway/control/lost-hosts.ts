import type { Logger } from 'pino';
import type { ClawrdenError } from '../../src/errors.ts';
import { InitFault } from '../../src/init-client/init-fault.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { DockerHost } from '../scheduler/hosts/docker-host.ts';
import type { Incidents } from './incidents.ts';

export interface LostHostsParts {
  /** Checks the host at once. */
  readonly suspect: (host: DockerHost) => void;
  readonly incidents: Incidents;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * A command ended because its host failed. What its init said against its protocol, or did not say, is told of the
 * host for a while; only what no init of ours says is an incident.
 */
export function createLostHosts({ suspect, incidents, log }: LostHostsParts) {
  return (host: DockerHost, error: ClawrdenError, { id, agent }: ExecutionRecord): void => {
    if (error instanceof InitFault) {
      const text = `host ${host.name}: execution ${id} of agent ${agent}: ${error.message}`;
      host.blame(`execution ${id}: ${error.message}`);
      log.warn({ host: host.name, execution: id }, text);
      if (error.kind === 'broke') incidents.tell('host-impossible', `host:${host.name}`, text);
    }
    suspect(host);
  };
}
