import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leases } from './lease.ts';
import { runDir } from './names.ts';

const setting = '/proc/sys/net/ipv4/ip_forward';

/** Lets the machine forward packets, and notes in the lab's lease if it did not before. */
export async function enableForwarding(id: string): Promise<void> {
  if ((await readFile(setting, 'utf8')).trim() === '1') return;
  await writeFile(note(id), '');
  await writeFile(setting, '1');
}

/** Restores the setting if this lab changed it; while other labs run, one of them inherits that duty. */
export async function restoreForwarding(id: string): Promise<void> {
  const changed = await rm(note(id)).then(
    () => true,
    () => false,
  );
  if (!changed) return;
  const heir = (await leases()).find((other) => other !== id);
  await writeFile(heir ? note(heir) : setting, heir ? '' : '0');
}

function note(id: string): string {
  return join(runDir(id), 'forwarding-was-off');
}
