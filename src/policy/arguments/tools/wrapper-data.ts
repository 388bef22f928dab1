import { type OptionTable, options } from './grammar.ts';

/** A tool that runs another tool from its arguments. */
export interface Wrapper {
  /** Its options that do not change what runs; any other makes it opaque. They end at the first operand. */
  readonly options: OptionTable;
  /** How many operands stand before the other command: times, priorities or masks, which all begin with a digit. */
  readonly before: number;
  /** `NAME=value` operands may stand before the other command. */
  readonly assigns?: boolean;
  /** It adds arguments that are not visible. */
  readonly adds?: boolean;
  /** `-10` is a number that belongs to it. */
  readonly numbers?: boolean;
}

const none = options('');

const applets: Wrapper = { options: none, before: 0 };

/**
 * Wrappers through which the policy can see. `env` may not remove a variable: without PATH a shell uses its own, and
 * some of those contain the working directory.
 */
export const wrapperData: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    'env',
    {
      options: options('-0,--null -v,--debug'),
      before: 0,
      assigns: true,
    },
  ],
  [
    'timeout',
    {
      options: options('-s,--signal= -k,--kill-after= -v,--verbose --foreground --preserve-status'),
      before: 1,
    },
  ],
  ['nice', { options: options('-n,--adjustment='), before: 0, numbers: true }],
  ['nohup', { options: none, before: 0 }],
  ['setsid', { options: options('-c,--ctty -f,--fork -w,--wait'), before: 0 }],
  ['stdbuf', { options: options('-i,--input= -o,--output= -e,--error='), before: 0 }],
  ['ionice', { options: options('-c,--class= -n,--classdata= -t,--ignore'), before: 0 }],
  ['chrt', { options: options('-b,--batch -f,--fifo -i,--idle -o,--other -r,--rr -v,--verbose'), before: 1 }],
  ['taskset', { options: options('-c,--cpu-list'), before: 1 }],
  ['time', { options: options('-p,--portability -v,--verbose -f,--format='), before: 0 }],
  [
    'xargs',
    {
      options: options(
        `-0,--null -d,--delimiter= -n,--max-args= -P,--max-procs= -L= -s,--max-chars= -r,--no-run-if-empty -t,--verbose
        -x,--exit -a,--arg-file= -I= -E=`,
      ),
      before: 0,
      adds: true,
    },
  ],
  ['busybox', applets],
  ['toybox', applets],
]);

/** They take `-c TEXT`, a script's name, or a script on their standard input. */
export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash']);

/**
 * Options of shells that do not change what runs. `-c` means that the first operand is a script. Other names of `-o`
 * make a shell read its input, take operands for variables, change its identity, or behave like a shell on a
 * terminal.
 */
export const shellOptions: OptionTable = options(
  `-c -e -u -x -f -n -C --posix --norc --noprofile
  -o={braceexpand|errexit|errtrace|functrace|noclobber|noexec|noglob|nolog|notify|nounset|physical|pipefail|posix|verbose|xtrace}`,
);

/** They run another tool in ways that the policy does not read, or as another user. */
export const opaqueTools: ReadonlySet<string> = new Set([
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
    'socat',
  ],
  ...[
    'strace',
    'ltrace',
    'gdb',
    'flock',
    'command',
    'exec',
    'eval',
    'expect',
    'dbus-run-session',
    'systemd-run',
    'rlwrap',
  ],
  ...[
    'gosu',
    'su-exec',
    'pkexec',
    'capsh',
    'chpst',
    'softlimit',
    's6-setuidgid',
    'aa-exec',
    'cgexec',
    'setarch',
  ],
  ...[
    'tini',
    'tini-static',
    'dumb-init',
    'start-stop-daemon',
    'run-parts',
    'unbuffer',
    'xvfb-run',
    'ssh-agent',
    'sshpass',
  ],
  ...['valgrind', 'perf', 'faketime', 'hyperfine', 'entr', 'linux32', 'linux64', 'i386', 'x86_64', 'uname26'],
  // Homebrew's names.
  ...['genv', 'gtimeout', 'gnice', 'gnohup', 'gstdbuf', 'gxargs', 'gtime'],
  // Shells whose options differ from those of sh.
  ...['zsh', 'ksh', 'mksh', 'lksh', 'oksh', 'yash', 'fish', 'csh', 'tcsh', 'hush', 'rbash', 'rksh', 'posh'],
  ...['nu', 'pwsh', 'powershell', 'xonsh', 'elvish', 'osh', 'ysh', 'murex', 'ion', 'es', 'rc'],
  ...['mksh-static', 'bash-static', 'zsh-static', 'zsh5', 'ksh93', 'mksh-lite'],
  ...[
    'ld.so',
    'catchsegv',
    'proot',
    'fakeroot',
    'bwrap',
    'firejail',
    'prlimit',
    'choom',
    'numactl',
    'screen',
    'tmux',
    'at',
    'batch',
  ],
]);
