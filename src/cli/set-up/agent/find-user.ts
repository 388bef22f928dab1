import type { Identity } from '../../../command.ts';

export interface PasswdUser {
  readonly id: Identity;
  readonly home: string;
  /** The file has a line for it. */
  readonly isKnown: boolean;
}

/**
 * Whom an engine starts for `UID[:GID]` or `NAME[:GID]` in a container with this `/etc/passwd`. `undefined` if the file
 * does not say, as for a group by name.
 */
export function findUser(text: string, passwd: string | undefined): PasswdUser | undefined {
  const [, who = '', group] = /^([^:]*)(?::(.*))?$/.exec(text) ?? [];
  const known = (passwd ?? '')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name, , uid]) => name === who || (isNumber(who) && uid === who));
  const [, , knownUid, knownGid, , home = '/'] = known ?? [];
  const uid = isNumber(who) ? who : knownUid;
  // An engine gives an unknown user the group 0.
  const gid = group ?? knownGid ?? '0';
  if (uid === undefined || !isNumber(uid) || !isNumber(gid)) return undefined;
  return { id: { uid: Number(uid), gid: Number(gid) }, home, isKnown: known !== undefined };
}

function isNumber(text: string): boolean {
  return /^\d{1,10}$/.test(text);
}
