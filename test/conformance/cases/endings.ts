import { constants } from 'node:os';
import type { Case } from '../case.ts';

const codes = [1, 2, 41, 77, 124, 125, 126, 127, 128, 130, 137, 143, 254, 255];
const deaths = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGUSR1',
  'SIGSEGV',
  'SIGUSR2',
  'SIGPIPE',
  'SIGALRM',
  'SIGTERM',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGIO',
  'SIGSYS',
] as const;

export const endingCases: readonly Case[] = [
  ...codes.map((code): Case => ({ name: `ending-exit-${code}`, argv: ['sh', '-c', `exit ${code}`] })),
  ...deaths.map(
    (signal): Case => ({
      name: `ending-by-${signal}`,
      argv: ['sh', '-c', `kill -${constants.signals[signal]} $$`],
    }),
  ),
  { name: 'ending-by-a-realtime-signal', argv: ['sh', '-c', 'kill -40 $$'] },
  { name: 'ending-exit-256', argv: ['node', '-e', 'process.exit(256)'] },
  { name: 'ending-exit-minus-1', argv: ['node', '-e', 'process.exit(-1)'] },
  { name: 'ending-false', argv: ['false'] },
  { name: 'ending-grep-finds-nothing', argv: ['grep', 'x', '/dev/null'] },
  { name: 'ending-grep-of-a-missing-file', argv: ['grep', 'x', 'nowhere'] },
  { name: 'ending-node-throws', argv: ['node', '-e', 'throw new Error("thrown")'] },
  { name: 'ending-node-aborts', argv: ['node', '-e', 'process.abort()'], mask: [[/[^]*/, '']] },
  { name: 'ending-python-raises', argv: ['python3', '-c', 'raise SystemExit("said why")'] },
  { name: 'ending-python-traceback', argv: ['python3', '-c', '1/0'] },
  { name: 'ending-shell-finds-no-command', argv: ['sh', '-c', 'no-such-command-at-all'] },
  { name: 'ending-shell-may-not-execute', argv: ['sh', '-c', './plain'], setup: 'echo echo >plain' },
  { name: 'ending-timeout', argv: ['timeout', '0.2', 'sleep', '5'] },
  { name: 'ending-timeout-by-KILL', argv: ['timeout', '-s', 'KILL', '0.2', 'sleep', '5'] },
  { name: 'ending-background-holds-the-pipe', argv: ['sh', '-c', 'sleep 20 & echo started'] },
  { name: 'ending-double-fork', argv: ['sh', '-c', '(sleep 20 &) ; (setsid sleep 20 &) ; echo done'] },
  {
    name: 'ending-daemon-writes-on',
    argv: ['sh', '-c', '(while :; do echo more; sleep 5; done) & sleep 0.2; exit 3'],
    mask: [[/(more\n)+/, 'more\n']],
  },
  { name: 'ending-children-are-waited-for', argv: ['sh', '-c', 'sleep 0.1 & sleep 0.2 & wait; echo both'] },
  {
    name: 'ending-status-of-a-killed-child',
    argv: ['bash', '-c', 'sleep 5 & kill -TERM $!; wait $!; echo $?'],
  },
  {
    name: 'ending-core-limit',
    argv: ['sh', '-c', 'ulimit -c unlimited 2>/dev/null; kill -SEGV $$'],
    ignoredFiles: /^core/,
  },
];
