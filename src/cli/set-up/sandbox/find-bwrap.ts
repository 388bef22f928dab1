import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { plainText } from '../../print/cells.ts';
import { closed, inMemory } from './bwrap-line.ts';
import { refuseSandbox } from './refuse-sandbox.ts';

const start = promisify(execFile);
const probeMs = 10_000;
/** Not by PATH: as root, nobody else may choose which program that is. */
const places = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];

/** Its path, once it has closed a sandbox here. Throws a line that says what to install, or what forbids it. */
export async function findBwrap(isRoot: boolean): Promise<string> {
  const found = await Promise.all(
    places.map((path) =>
      access(path, constants.X_OK).then(
        () => path,
        () => '',
      ),
    ),
  );
  const bwrap = found.find((path) => path !== '');
  if (bwrap === undefined)
    throw refuseSandbox('there is no bubblewrap on this machine', 'install it: apt-get install bubblewrap');
  const line = [
    ...closed(isRoot),
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', ...inMemory('/tmp'), '--', '/bin/true'],
  ];
  try {
    await start(bwrap, line, { timeout: probeMs, env: {} });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    const said = plainText((stderr.trim().split('\n')[0] ?? '') || message);
    const toDo = /nknown option/.test(said)
      ? 'it is too old: install 0.8 or newer'
      : await whatForbids(isRoot);
    throw refuseSandbox(`bubblewrap cannot close a sandbox here (${said})`, toDo);
  }
  return bwrap;
}

async function whatForbids(isRoot: boolean): Promise<string> {
  const is = async (path: string, value: string) => (await read(path)) === value;
  if (isRoot) return 'run it on the machine itself: a container has not all that a sandbox needs';
  if (await is('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'))
    return 'AppArmor forbids user namespaces: install a profile for bwrap (docs/setup.md#without-docker)';
  if (await is('/proc/sys/kernel/unprivileged_userns_clone', '0'))
    return 'the kernel forbids user namespaces: sysctl -w kernel.unprivileged_userns_clone=1, or run it as root';
  if (await is('/proc/sys/user/max_user_namespaces', '0'))
    return 'the kernel forbids user namespaces: set user.max_user_namespaces, or run it as root';
  return 'run it on the machine itself, not in a container, or as root';
}

async function read(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}
