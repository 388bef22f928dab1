import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CarrierProcess, fileSystems, makePlace, type Place } from './carrier-process.ts';
import type { Dice } from './random-tree.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const isRoot = process.getuid?.() === 0;

export const pidOf = (carrier: CarrierProcess): number => carrier.child.pid ?? 0;

/** The same program by both C libraries. */
export const jailProbes = {
  static: at('../../../build/bench/jail-probe'),
  sanitized: at('../../../build/native-sanitize/jail-probe'),
} as const;

export function buildJailProbes(): void {
  execFileSync('make', ['-s', '-C', at('..'), 'jail-probe']);
}

export const agent = { uid: 1000, gid: 1000 } as const;

/** As a Docker volume is: the agent's tree in a folder of root's. Another workspace of the same uid is beside it. */
export function makeVolume(under: string = fileSystems[0], mode = 0o710): Place {
  const place = makePlace(under);
  const beside = join(place.folder, 'beside');
  mkdirSync(beside);
  writeFileSync(join(beside, 'secret'), 'of another agent\n');
  writeFileSync(join(place.root, 'mine'), 'mine\n');
  symlinkSync('../beside', join(place.root, 'out'));
  symlinkSync('/etc/passwd', join(place.root, 'users'));
  symlinkSync('/proc/self/root', join(place.root, 'magic'));
  toAgent(place.folder);
  chownSync(place.folder, 0, 0);
  chmodSync(place.folder, mode);
  return place;
}

/** The agent's, to read and write. */
export function toAgent(path: string): void {
  execFileSync('chown', ['-Rh', `${agent.uid}:${agent.gid}`, path]);
  execFileSync('chmod', ['-R', 'u+rwX', path]);
}

/** Some of its folders, as tools leave them that do not want to be written in. */
export function lockSome(path: string, dice: Dice): void {
  const found = execFileSync('find', [path, '-mindepth', '1', '-type', 'd', '-print0'], {
    encoding: 'latin1',
  });
  const folders = found.split('\0').filter(Boolean);
  const locked = folders.filter(() => dice.below(3) === 0);
  for (const folder of locked) chmodSync(Buffer.from(folder, 'latin1'), dice.pick([0o555, 0o500, 0o1555]));
}

/** What the kernel says of a process, by name. */
export function statusOf(pid: number): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)));
}
