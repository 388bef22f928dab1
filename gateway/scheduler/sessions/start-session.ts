import { deadline } from '../../../src/abort.ts';
import { ClawrdenError, toClawrdenError } from '../../../src/errors.ts';
import { startsElsewhere } from '../../workspaces/starts-elsewhere.ts';
import type { DockerHost } from '../hosts/docker-host.ts';
import type { LeaseRequest } from '../placement/candidates.ts';
import type { Scheduler } from '../placement/scheduler.ts';
import type { SessionStart } from './session.ts';

export interface StartSessionParts {
  readonly scheduler: Pick<Scheduler, 'lease'>;
  readonly startTimeoutMs: number;
}

/** The container of a session on one of the hosts. A host where it cannot start is left out of the next try. */
export async function startSession(
  request: LeaseRequest,
  onPlace: (place: number) => void,
  { scheduler, startTimeoutMs }: StartSessionParts,
  signal: AbortSignal,
): Promise<SessionStart> {
  const avoid = new Map<DockerHost, ClawrdenError>();
  for (;;) {
    const lease = await scheduler.lease({ ...request, avoid }, signal, onPlace);
    const { host } = lease;
    try {
      const text = `the container did not start in ${startTimeoutMs / 1000} s on ${host.name}`;
      using until = deadline(startTimeoutMs, () => new ClawrdenError('start-timeout', text), signal);
      const purpose = { pooled: false, timeoutMs: 0, session: true as const };
      return { ghost: await host.start(request.shape, purpose, until.signal), lease };
    } catch (error) {
      lease.release();
      signal.throwIfAborted();
      const failed = toClawrdenError(error);
      if (!startsElsewhere(failed)) throw failed;
      avoid.set(host, failed);
    }
  }
}
