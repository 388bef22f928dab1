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

/** A container mounts another folder than the host has for the workspace now. One that is started anew mounts that. */
export class OtherFolder extends ClawrdenError {
  override name = 'OtherFolder';

  constructor(agent: string, host: string) {
    const text = `the workspace of agent ${agent} is in another place on ${host} than when the container was started`;
    super('workspace-missing', text);
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
  // Home could not take what came from there, and goes on. What it cannot read of its own is `workspace-unread`: no other
  // host is tried for it.
  const isOfExchange = error.code === 'carrier-failed' && !error.isOver;
  if (error.role === 'replica' || isOfExchange) return new ReplicaUnreachable(text, { cause: error });
  const missing = error.code === 'workspace-missing';
  return new ClawrdenError(missing ? 'workspace-suspect' : 'workspace-unreachable', text, { cause: error });
}

/** Frames of a replica against the rules, said by home or seen here; or of home, said by the replica: only one of both lies. */
const againstRules: ReadonlySet<string> = new Set(['bad-entry', 'bad-want']);

/** How an exchange with a replica broke the rules, for people; `undefined` if it did not, or if home alone is at fault. */
export function brokenRule(error: unknown): string | undefined {
  const cause = error instanceof ReplicaUnreachable ? error.cause : error;
  if (!(cause instanceof CarrierError)) return undefined;
  const { code, role, text } = cause;
  const isSeen = role === 'replica' && (code === 'bad-answer' || code === 'bad-frame');
  if (!isSeen && !againstRules.has(code)) return undefined;
  return isSeen ? text : `${role === 'home' ? 'home' : 'it'} says ${code}: ${text}`;
}

/** After `error`, thrown by work that nobody cut, the carrier can be asked again: the work is over and it goes on. */
export function isUsable(session: Pick<CarrierSession, 'idle'>, role: CarrierRole, error: unknown): boolean {
  const isOwn = error instanceof CarrierError && error.role === role;
  return session.idle && !(isOwn && error.isOver);
}
