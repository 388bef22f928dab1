import { CarrierError, type CarrierRole } from '../../src/carrier-client/carrier-error.ts';
import type { CarrierSession } from '../../src/carrier-client/carrier-session.ts';
import { ClawrdenError, type ErrorCode } from '../../src/errors.ts';

/** The carrier of a replica is gone, and home is not: the same workspace may be had on another host. */
export class ReplicaUnreachable extends ClawrdenError {
  override name = 'ReplicaUnreachable';

  constructor(text: string, options?: ErrorOptions) {
    super('workspace-unreachable', text, options);
  }
}

/** What a carrier says of its own workspace is for people as it is; everything else means that it is gone. */
const said: ReadonlyMap<string, ErrorCode> = new Map([
  ['workspace-full', 'workspace-full'],
  ['workspace-limit', 'workspace-limit'],
  ['workspace-suspect', 'workspace-suspect'],
]);

/** An error of an exchange with the replica on `host`, as a ClawrdenError. */
export function toWorkspaceError(error: unknown, host: string): unknown {
  if (!(error instanceof CarrierError)) return error;
  const text = `${error.text} (workspace ${error.role === 'home' ? 'at home' : `on ${host}`})`;
  const code = said.get(error.code);
  if (code !== undefined) return new ClawrdenError(code, text, { cause: error });
  if (error.role === 'replica') return new ReplicaUnreachable(text, { cause: error });
  const missing = error.code === 'workspace-missing';
  return new ClawrdenError(missing ? 'workspace-suspect' : 'workspace-unreachable', text, { cause: error });
}

/** What ends a carrier, and not only an operation. */
const gone: ReadonlySet<string> = new Set([
  ...['carrier-lost', 'carrier-failed', 'area-apart'],
  ...['workspace-missing', 'bad-hello', 'bad-frame', 'bad-entry'],
]);

/** After `error`, thrown by work that nobody cut, the carrier can be asked again: the work is over and it goes on. */
export function isUsable(session: Pick<CarrierSession, 'idle'>, role: CarrierRole, error: unknown): boolean {
  const isOwn = error instanceof CarrierError && error.role === role;
  return session.idle && !(isOwn && gone.has(error.code));
}
