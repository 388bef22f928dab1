import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const lockfile = join(import.meta.dirname, '..', '..', 'package-lock.json');

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

export async function readLock(): Promise<Lock> {
  return JSON.parse(await readFile(lockfile, 'utf8')) as Lock;
}

/**
 * Packages for other platforms, as `name@version`, that the lockfile does not list. npm leaves them out if its
 * registry does not have them, and then `npm ci` refuses the lockfile.
 */
export function unlisted(lock: Lock): string[] {
  return wanted(lock).flatMap(([name, version]) => (isListed(lock, name) ? [] : `${name}@${version}`));
}

/** Lists them for the platform in their names. */
export async function completeLock(): Promise<void> {
  const lock = await readLock();
  for (const [name, version, parent] of wanted(lock)) {
    if (isListed(lock, name)) continue;
    const dev = parent.dev ? { dev: true } : {};
    lock.packages[`node_modules/${name}`] = {
      version,
      ...dev,
      optional: true,
      ...platform(name),
    };
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  await writeFile(
    lockfile,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
  );
}

function wanted(lock: Lock): [name: string, version: string, parent: LockedPackage][] {
  return Object.entries(lock.packages).flatMap(([path, parent]) => {
    const optional = path === '' ? [] : Object.entries(parent.optionalDependencies ?? {});
    return optional.map(([name, version]): [string, string, LockedPackage] => [name, version, parent]);
  });
}

function isListed(lock: Lock, name: string): boolean {
  return Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`));
}

function platform(name: string): { cpu: string[]; os: string[]; libc?: string[] } {
  const os = /android|darwin|win32|freebsd|openharmony|linux/.exec(name)?.[0];
  const cpu = /arm64|arm|x64|ia32|ppc64|riscv64|s390x/.exec(name)?.[0];
  if (!os || !cpu)
    throw new Error(`${name}: its name tells no platform; list it in package-lock.json by hand`);
  const libc = os === 'linux' ? (/musl|gnu/.exec(name)?.[0]?.replace('gnu', 'glibc') ?? '') : '';
  return { cpu: [cpu], os: [os], ...(libc && { libc: [libc] }) };
}

if (import.meta.main) await completeLock();
