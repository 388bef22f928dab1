import { dirname, join } from 'node:path';
import type { Guards } from './guarded.ts';

/** One mount of the system, as bubblewrap makes it. */
export type SystemPart = readonly ['bind', string] | readonly ['link', string, string];

export interface SandboxParts {
  readonly system: readonly SystemPart[];
  readonly jail: string;
  readonly socketFolder: string;
  /** Paths of this machine that are read-only inside, at the same place. */
  readonly allowed: readonly string[];
  readonly workspace?: SandboxWorkspace;
  /** Absent: bubblewrap runs as an ordinary user, in a user namespace. */
  readonly become?: { readonly uid: number; readonly gid: number };
  /** Whether it is a session of its own, without its starter's terminal. */
  readonly newSession: boolean;
  /** Whether the agent has a way out. */
  readonly wayOut: boolean;
  readonly command: readonly string[];
}

export interface SandboxWorkspace {
  readonly source: string;
  /** `DEVICE:INODE` of it. */
  readonly id: string;
  readonly target: string;
  readonly guards: Guards;
}

/** Descriptors of bubblewrap's: where it says what it started, and where its filter of system calls comes from. */
export const infoFd = 3;
export const filterFd = 4;
export const sandboxHome = '/home/agent';
const jailInside = '/clawrden/bin';
const socketsInside = '/var/run/clawrden';
/** Of `/tmp`, of HOME and of `/dev/shm`. */
const memoryBytes = String(512 * 1024 ** 2);

/** What every sandbox closes, also the one that probes. */
export function closed(isRoot: boolean): readonly string[] {
  return [
    ...(isRoot ? [] : ['--unshare-user']),
    ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    '--die-with-parent',
  ];
}

/** What `bwrap` is called with. */
export function bwrapLine(parts: SandboxParts): readonly string[] {
  const { jail, socketFolder, allowed, workspace, become, newSession } = parts;
  return [
    ...closed(become !== undefined),
    ...(newSession ? ['--new-session'] : []),
    ...['--hostname', 'sandbox', '--info-fd', String(infoFd), '--seccomp', String(filterFd)],
    ...(become === undefined ? [] : keepOnly),
    ...foldersAbove(parts.system.map((part) => part.at(-1) ?? '')),
    ...parts.system.flatMap(systemPart),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['/dev/shm', '/tmp', sandboxHome].flatMap(inMemory),
    ...foldersAbove([...allowed, jailInside, socketsInside, ...(workspace ? [workspace.target] : [])]),
    ...allowed.flatMap((path) => ['--ro-bind', path, path]),
    ...['--ro-bind', jail, jailInside, '--ro-bind', socketFolder, socketsInside],
    ...(workspace === undefined ? [] : workspaceMounts(workspace)),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', workspace?.target ?? sandboxHome, '--'],
    ...(become === undefined ? [] : asUser(become)),
    ...inner(parts),
  ];
}

/** Root needs them to become the agent's user, and loses them by that. */
const keepOnly = ['ALL', 'CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => [
  name === 'ALL' ? '--cap-drop' : '--cap-add',
  name,
]);

function asUser({ uid, gid }: { readonly uid: number; readonly gid: number }): readonly string[] {
  return [
    ...['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--'],
  ];
}

function systemPart(part: SystemPart): readonly string[] {
  return part[0] === 'bind' ? ['--ro-bind', part[1], part[1]] : ['--symlink', part[1], part[2]];
}

/** Bubblewrap would make those that are missing for root alone. */
function foldersAbove(paths: readonly string[]): readonly string[] {
  const above = new Set(paths.flatMap(ancestors));
  return [...above].flatMap((path) => ['--perms', '0755', '--dir', path]);
}

function ancestors(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === '/' ? [] : [...ancestors(parent), parent];
}

export function inMemory(path: string): readonly string[] {
  return ['--perms', '1777', '--size', memoryBytes, '--tmpfs', path];
}

/** Each folder above a guarded name is a mount, and the kernel renames none. */
function workspaceMounts({ source, target, guards }: SandboxWorkspace): readonly string[] {
  const mount = (how: string) => (name: string) => [how, join(source, name), join(target, name)];
  return [
    ...['--bind', source, target],
    ...guards.folders.flatMap(({ name }) => mount('--bind')(name)),
    ...guards.there.flatMap(({ name }) => mount('--ro-bind')(name)),
  ];
}

/**
 * Between our look and bubblewrap's mount another process of the agent's, in a ghost for one, may have put a link in the
 * place of a folder: what is mounted must be what was looked at.
 */
const script = `
fail() { echo "clawrden: sandbox: $1" >&2; exit 125; }
# The jail may have a shim for each of these programs.
path=$PATH
PATH=/usr/bin:/bin
way=$1; shift
while [ "$1" != -- ]; do
  [ "$(stat -c %d:%i "$2" 2>/dev/null)" = "$1" ] || fail "$2 was replaced while it was mounted; start it again"
  shift 2
done
shift
if [ "$way" = way-out ]; then
  { ${jailInside}/.shim; while sleep 1; do ${jailInside}/.shim 2>/dev/null; done; } </dev/null >/dev/null &
  tries=0
  until grep -q ' 0100007F:0C38 00000000:0000 0A ' /proc/net/tcp; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail 'its way out did not start in 5 s; see clawrden agents'
    sleep 0.05
  done
fi
PATH=$path
exec "$@"
`;

function inner({ workspace, wayOut, command }: SandboxParts): readonly string[] {
  const mounted = workspace && [
    [workspace.id, workspace.target],
    ...[...workspace.guards.folders, ...workspace.guards.there].map(({ id, name }) => [
      ...[id, join(workspace.target, name)],
    ]),
  ];
  return [
    ...['/bin/sh', '-c', script, 'sandbox', wayOut ? 'way-out' : 'no-way-out'],
    ...(mounted ?? []).flat(),
    ...['--', ...command],
  ];
}
