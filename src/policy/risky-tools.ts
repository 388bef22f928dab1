/** Tools that run whatever they are given: allowed as a whole, they are every other tool too. */
export const wrappers: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'csh', 'tcsh', 'busybox', 'toybox'],
  ...['env', 'xargs', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf', 'ionice', 'chrt', 'taskset', 'time'],
  ...[
    'sudo',
    'su',
    'doas',
    'runuser',
    'setpriv',
    'unshare',
    'nsenter',
    'chroot',
    'parallel',
    'watch',
    'script',
  ],
  ...['ssh', 'socat', 'strace', 'ltrace', 'gdb', 'flock', 'command', 'exec', 'eval'],
]);

/** Tools whose arguments or input are programs. */
export const interpreters: ReadonlySet<string> = new Set([
  ...[
    'node',
    'nodejs',
    'deno',
    'bun',
    'npx',
    'bunx',
    'python',
    'python2',
    'python3',
    'perl',
    'ruby',
    'php',
    'lua',
  ],
  ...[
    'awk',
    'gawk',
    'mawk',
    'sed',
    'find',
    'make',
    'vi',
    'vim',
    'nvim',
    'emacs',
    'ed',
    'ex',
    'less',
    'more',
    'man',
  ],
  ...['tclsh', 'expect', 'osascript', 'java', 'go', 'cargo', 'gradle', 'mvn', 'docker', 'podman', 'kubectl'],
]);

/** Tools that do nothing useful for a user who is not root: a ghost never is. */
export const rootTools: ReadonlySet<string> = new Set([
  ...['apt', 'apt-get', 'dpkg', 'apk', 'dnf', 'yum', 'rpm', 'pacman', 'zypper'],
  ...[
    'docker',
    'dockerd',
    'podman',
    'mount',
    'umount',
    'chroot',
    'iptables',
    'systemctl',
    'useradd',
    'chown',
  ],
]);
