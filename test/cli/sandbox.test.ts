import { describe, expect, test } from 'vitest';
import { attempt } from '../lab/command.ts';
import { launcher } from '../stack/launcher.ts';

const command = [process.execPath, launcher, 'sandbox', '--agent', 'coder', '--', 'echo', 'ran'];

/** Starts a program as an ordinary user in a user namespace that has no more of them. */
const withoutNamespaces = `
unshare -U sh -c 'until grep -q . /proc/self/uid_map; do :; done; exec sh -c "$0" sh "$@"' \
  'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --reuid=1000 --regid=1000 --clear-groups "$@"' "$@" &
until [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do :; done
echo 0 0 5000 >/proc/$!/gid_map
echo 0 0 5000 >/proc/$!/uid_map
wait $!
`;

describe.skipIf(process.geteuid?.() !== 0)('a sandbox where bubblewrap cannot close it', () => {
  test.each([
    [
      'there is none',
      ['unshare', '-m', 'sh', '-c', 'mount --bind /dev/null /usr/bin/bwrap; exec "$@"', 'sh'],
      /^clawrden: sandbox: there is no bubblewrap on this machine; install it: apt-get install bubblewrap\n$/,
    ],
    [
      'it does not know what is asked of it',
      [
        ...['unshare', '-m', 'sh', '-c'],
        'mount -t tmpfs none /mnt; printf "#!/bin/sh\\n/usr/bin/env -i /mnt/bwrap --not-known\\n" >/mnt/old; cp /usr/bin/bwrap /mnt; chmod 755 /mnt/old; mount --bind /mnt/old /usr/bin/bwrap; exec "$@"',
        'sh',
      ],
      /^clawrden: sandbox: bubblewrap cannot close a sandbox here \(bwrap: Unknown option --not-known\); it is too old: install 0\.8 or newer\n$/,
    ],
    [
      'the kernel forbids user namespaces',
      ['sh', '-c', withoutNamespaces, 'sh'],
      /^clawrden: sandbox: bubblewrap cannot close a sandbox here \([^\n]+\); the kernel forbids user namespaces: set user\.max_user_namespaces, or run it as root\n$/,
    ],
  ])('%s: one line says what to do, and nothing runs', async (_what, under, line) => {
    const { code, stdout, stderr } = await attempt([...under, ...command]);
    expect(stderr).toMatch(line);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });
});
