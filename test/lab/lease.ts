import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { labId, runDir } from './names.ts';

/**
 * Takes a free lab number: the folder /run/clawrden-<id> is the lease until `releaseLease`. This process holds the
 * lab until `letGo`; if it ends before, the lab is abandoned.
 */
export async function takeLease(): Promise<string> {
  const start = randomBytes(1)[0] ?? 0;
  for (let i = 0; i < 256; i++) {
    const number = (start + i) % 256;
    if (subnetInUse(number) || (await leasedNumbers()).has(number)) continue;
    const id = labId(number, randomBytes(1).toString('hex'));
    await mkdir(runDir(id), { mode: 0o755 });
    if ((await leases()).filter((other) => sameNumber(other, id)).length === 1) {
      await writeFile(holderFile(id), await identity(process.pid));
      return id;
    }
    await rmdir(runDir(id)); // another process took the number at the same moment
  }
  throw new Error('clawrden: lab: all 256 lab networks are taken; run scripts/lab down');
}

/** From now on no process owns the lab, and it stays when its process ends. */
export async function letGo(id: string): Promise<void> {
  await rm(holderFile(id));
}

export async function releaseLease(id: string): Promise<void> {
  await rm(runDir(id), { recursive: true, force: true });
}

/** The owner of a lab: no process (kept), a living process, or one that is gone. */
export async function leaseState(id: string): Promise<'kept' | 'held' | 'abandoned'> {
  const holder = await readFile(holderFile(id), 'utf8').catch(() => undefined);
  if (holder === undefined) return 'kept';
  const alive = holder === (await identity(Number.parseInt(holder, 10)));
  return alive ? 'held' : 'abandoned';
}

/** True while this process is the holder; false if another process has removed the lab. */
export async function holdsLease(id: string): Promise<boolean> {
  const holder = await readFile(holderFile(id), 'utf8').catch(() => undefined);
  return holder === (await identity(process.pid));
}

/** Ids of every lab of this machine that is up or was left behind. */
export async function leases(): Promise<string[]> {
  const names = await readdir('/run');
  return names.flatMap((name) => /^clawrden-([0-9a-f]{4})$/.exec(name)?.[1] ?? []);
}

function holderFile(id: string): string {
  return join(runDir(id), 'holder');
}

// Pid and start time, because a pid alone may be another process by now.
async function identity(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return `${pid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20]}`;
}

async function leasedNumbers(): Promise<Set<number>> {
  return new Set((await leases()).map((id) => Number.parseInt(id.slice(0, 2), 16)));
}

function sameNumber(a: string, b: string): boolean {
  return a.slice(0, 2) === b.slice(0, 2);
}

function subnetInUse(number: number): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some((address) => address.address.startsWith(`10.213.${number}.`));
}
