import { readFileSync, readlinkSync } from 'node:fs';
import type { Identity } from '../../../../src/command.ts';

/**
 * Whether the peer is in a user namespace whose ids the relay does not vouch for. Nothing is known of a process outside of
 * the relay's pid namespace, nor of another user's that is gone, and it counts as in none.
 *
 * A relay that is the agent's own user vouches for one: where exactly this user and this group are mapped, each to
 * itself. `clawrden sandbox` makes such a one for an ordinary user (ADR 0160).
 */
export function isInForeignNamespace({ pid, uid, gid }: Identity & { readonly pid: number }): boolean {
  if (pid === 0) return false;
  const namespace = linkOf(pid);
  if (namespace !== undefined && namespace === linkOf('self')) return false;
  const isOwnUser = uid === process.geteuid?.();
  const [uids, gids] = [mapOf(pid, 'uid_map'), mapOf(pid, 'gid_map')];
  if (uids === undefined || gids === undefined) return namespace !== undefined || isOwnUser;
  // A relay that is not root is kept from the link of another user's process, and never from its maps.
  if (namespace === undefined && uids === mapOf('self', 'uid_map') && gids === mapOf('self', 'gid_map'))
    return false;
  return !(isOwnUser && uids === `${uid} ${uid} 1` && gids === `${gid} ${gid} 1`);
}

function linkOf(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/user`);
  } catch {
    return undefined;
  }
}

/** With one blank between two numbers. Of another namespace the kernel shows the ids as this process sees them. */
function mapOf(pid: number | 'self', name: 'uid_map' | 'gid_map'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
      .trim()
      .replace(/[ \t]+/g, ' ');
  } catch {
    return undefined;
  }
}
