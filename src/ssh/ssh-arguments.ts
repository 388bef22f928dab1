import type { SshDestination } from './ssh-destination.ts';

/** Paths. If one is absent, ssh uses the keys or known hosts of this process's user. */
export interface SshFiles {
  readonly identity?: string;
  readonly knownHosts?: string;
}

/** What ssh prints when it has logged in and accepts connections. */
export const readyWord = 'clawrden-ready';

/**
 * Arguments for an ssh that runs nothing on the other machine and forwards connections to `localSocket` to the
 * destination's socket.
 */
export function sshArguments(
  { user, host, port, socket }: SshDestination,
  files: SshFiles,
  localSocket: string,
) {
  return [
    // No configuration file: a setting there could weaken these settings.
    ...['-F', 'none', '-N', '-T'],
    ...options.flatMap((option) => ['-o', option]),
    ...(files.identity === undefined ? [] : ['-i', unexpanded(files.identity), '-o', 'IdentitiesOnly=yes']),
    ...(files.knownHosts === undefined ? [] : onlyKnownHosts(files.knownHosts)),
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...['-L', `${localSocket}:${socket}`, '--', host],
  ];
}

const options = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'UpdateHostKeys=no',
  'ConnectTimeout=10',
  // ssh notices a machine that is cut off after 9 to 12 s.
  'ServerAliveInterval=3',
  'ServerAliveCountMax=3',
  'ExitOnForwardFailure=yes',
  'StreamLocalBindMask=0177',
  'PermitLocalCommand=yes',
  `LocalCommand=echo ${readyWord}`,
  'LogLevel=ERROR',
];

/** ssh splits the value at spaces unless it is quoted. */
function onlyKnownHosts(file: string): string[] {
  return ['-o', `UserKnownHostsFile="${unexpanded(file)}"`, '-o', 'GlobalKnownHostsFile=/dev/null'];
}

function unexpanded(path: string): string {
  return path.replaceAll('%', '%%');
}
