import { run } from '../lab/command.ts';

/** What starts a program as an ordinary user; nothing if there is none. */
export function asUser(uid: number | undefined): string[] {
  if (uid === undefined) return [];
  return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
}

/** Folders, and its group's right to use the engine. */
export async function giveTo(
  uid: number | undefined,
  folders: readonly string[],
  socket: string,
): Promise<void> {
  if (uid === undefined) return;
  await run(['chown', '-R', `${uid}:${uid}`, ...folders]);
  await run(['chgrp', String(uid), socket]);
  await run(['chmod', 'g+rw', socket]);
}
