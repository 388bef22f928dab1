import type { Case } from '../case.ts';

const descriptors = 'ls -l /proc/self/fd | sed -n "s/.* \\([0-9]*\\) -> \\([a-z]*\\).*/\\1 \\2/p"';

export const processFactCases: readonly Case[] = [
  { name: 'process-open-descriptors', argv: ['sh', '-c', descriptors], stdin: { bytes: '' } },
  { name: 'process-open-descriptors-null', argv: ['sh', '-c', descriptors], stdin: 'null', stderr: 'null' },
  {
    name: 'process-open-descriptors-as-one',
    argv: [
      'sh',
      '-c',
      `test $(readlink /proc/self/fd/2) = "$(readlink /proc/$$/fd/1)" && echo never; ${descriptors}`,
    ],
    stderr: 'same',
  },
  {
    name: 'process-stdout-and-stderr-are-one',
    argv: ['node', '-p', 'const s = (f) => fs.fstatSync(f).ino; s(1) === s(2)'],
    stderr: 'same',
  },
  {
    name: 'process-stdout-and-stderr-are-two',
    argv: ['node', '-p', 'const s = (f) => fs.fstatSync(f).ino; s(1) === s(2)'],
  },
  { name: 'process-limits', argv: ['bash', '-c', 'ulimit -a'] },
  { name: 'process-limits-as-the-kernel-tells', argv: ['cat', '/proc/self/limits'] },
  {
    name: 'process-limit-of-file-size',
    argv: ['sh', '-c', 'ulimit -f 8; head -c 10000 /dev/zero >big; ls -l big | cut -d" " -f5'],
  },
  {
    name: 'process-limit-of-cpu',
    argv: ['bash', '-c', 'ulimit -t 1; while :; do :; done'],
    timeoutMs: 30_000,
  },
  { name: 'process-umask-fact', argv: ['grep', 'Umask', '/proc/self/status'], umask: 0o137 },
  { name: 'process-ids', argv: ['grep', '-E', '^(Uid|Gid|Groups)', '/proc/self/status'] },
  { name: 'process-capabilities', argv: ['grep', '-E', '^Cap(Inh|Prm|Eff|Bnd|Amb)', '/proc/self/status'] },
  { name: 'process-no-new-privileges', argv: ['grep', '-E', '^(NoNewPrivs|Seccomp):', '/proc/self/status'] },
  {
    name: 'process-leads-its-group',
    argv: [
      'sh',
      '-c',
      'set -- $(cat /proc/$$/stat); test $1 = $5 && echo leads group; test $1 = $6 || echo leads no session',
    ],
  },
  {
    name: 'process-nice',
    argv: ['sh', '-c', 'set -- $(cat /proc/$$/stat); echo ${19}; cat /proc/$$/oom_score_adj'],
  },
  {
    name: 'process-scheduler',
    argv: ['sh', '-c', 'chrt -p $$ | sed "s/pid [0-9]*/pid N/"; taskset -p $$ | sed "s/pid [0-9]*/pid N/"'],
  },
  { name: 'process-personality', argv: ['cat', '/proc/self/personality'] },
  { name: 'process-cpus', argv: ['nproc'] },
  { name: 'process-dumpable', argv: ['sh', '-c', 'stat -c %u /proc/$$/mem'] },
  {
    name: 'process-children-see-the-same',
    argv: ['sh', '-c', `sh -c '${descriptors.replaceAll("'", "'\\''")}'`],
    stdin: { bytes: '' },
  },
  { name: 'process-uname', argv: ['uname', '-srm'] },
  { name: 'process-groups', argv: ['groups'] },
  { name: 'process-tty-without-one', argv: ['tty'] },
  { name: 'process-stty-without-one', argv: ['stty', '-a'] },
  { name: 'process-ps-without-terminal', argv: ['sh', '-c', 'ps -o tty=,uid=,comm= -p $$'] },
  {
    name: 'process-timers',
    argv: [
      'bash',
      '-c',
      'sleep 0.1 & wait -n; echo $?; trap "echo alarm; exit" ALRM; (sleep 0.1; kill -ALRM $$) & while :; do :; done',
    ],
  },
];
