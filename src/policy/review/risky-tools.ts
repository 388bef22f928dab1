import { runners } from '../arguments/tools/runner-data.ts';
import { opaqueTools, shells, wrapperData } from '../arguments/tools/wrapper-data.ts';

/** Tools that run whatever they are given: if a rule allows them completely, it allows every other tool too. */
export const wrappers: ReadonlySet<string> = new Set([
  ...shells,
  ...wrapperData.keys(),
  ...opaqueTools,
  'ssh',
]);

/** Tools whose arguments or input are programs, or name some. */
export const interpreters: ReadonlySet<string> = new Set([
  ...runners,
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

/** How Debian names a tool for one kind of processor: `x86_64-linux-gnu-gcc`. */
const ofTarget = /^[a-z0-9_]+-linux-(?:gnu|musl)[a-z0-9]*-(?=.)/;

/** Whether it is one of these, also with a version or a variant: `gcc-12`, `python3.12`, `vim.basic`. */
export function isOneOf(tools: ReadonlySet<string>, name: string): boolean {
  const own = name.replace(ofTarget, '');
  const [plain = ''] = own.split(/-?[0-9]|\./);
  return tools.has(own) || tools.has(plain);
}

/** Tools that are useful only for root, which a ghost never is. */
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
