import type { Identity } from '../../../../src/command.ts';
import { ClawrdenError } from '../../../../src/errors.ts';
import { isInForeignNamespace } from './peer-namespace.ts';

/**
 * The kernel's credentials of the process that connected. `pid` is 0 if it is outside of the relay's pid namespace.
 */
export interface Peer extends Identity {
  readonly pid: number;
}

/** What the kernel shows for an id that the relay's user namespace does not map. */
const overflowId = 65534;

/** Why the relay refuses the peer: it is not one of `users`, or it claims another identity. */
export function identityRefusal(
  peer: Peer,
  claim: Identity,
  users: readonly Identity[],
): ClawrdenError | undefined {
  const { uid, gid } = peer;
  if (uid === overflowId || gid === overflowId || isInForeignNamespace(peer)) {
    return new ClawrdenError(
      'identity-userns',
      'the command comes from another user namespace than the relay runs in',
    );
  }
  if (claim.uid !== uid || claim.gid !== gid) {
    const text = `the shim says it is ${claim.uid}:${claim.gid} and the kernel says ${uid}:${gid}`;
    return new ClawrdenError('identity-mismatch', text);
  }
  if (uid === 0)
    return new ClawrdenError('identity-root', 'uid 0 may do nothing; run the agent as another user');
  if (!users.some((user) => user.uid === uid && user.gid === gid)) {
    return new ClawrdenError('identity-user', `${uid}:${gid} is not one of this agent's users`);
  }
  return undefined;
}
