import type { Case } from '../case.ts';

const trapping = (names: string) =>
  `for s in ${names}; do trap "echo got $s" $s; done; echo ready; while :; do :; done`;
const once = (name: string, code: number) =>
  `trap 'echo got ${name}; exit ${code}' ${name}; echo ready; while :; do :; done`;
const ready = { until: 'ready' } as const;

const toolSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
const ofNode =
  "process.on('SIGTERM', () => { console.log('bye'); process.exit(12); }); setInterval(() => {}, 1000); console.log('ready');";
const ofPython =
  'import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *a: sys.exit(7))\nprint("ready", flush=True)\ntime.sleep(10)';

export const signalCases: readonly Case[] = [
  ...toolSignals.flatMap((signal, index): Case[] => {
    const short = signal.slice(3);
    return [
      {
        name: `signal-${short}-kills`,
        argv: ['sh', '-c', 'echo ready; exec sleep 20'],
        steps: [ready, { signal }],
      },
      {
        name: `signal-${short}-is-caught`,
        argv: ['sh', '-c', once(short, 30 + index)],
        steps: [ready, { signal }],
      },
      {
        name: `signal-${short}-is-ignored`,
        argv: ['sh', '-c', `echo ready; sleep 0.4; echo survived`],
        ignored: [signal],
        steps: [ready, { signal }],
      },
    ];
  }),
  {
    name: 'signal-reaches-the-whole-group',
    argv: [
      'sh',
      '-c',
      `trap : TERM; sh -c 'trap "echo child; exit" TERM; echo ready; while :; do :; done' & wait; wait; echo parent`,
    ],
    steps: [ready, { signal: 'SIGTERM' }],
  },
  {
    name: 'signal-twice',
    argv: [
      'bash',
      '-c',
      'n=0; trap "n=\\$((n+1)); echo \\$n" USR1; echo ready; while [ $n -lt 2 ]; do :; done',
    ],
    steps: [ready, { signal: 'SIGUSR1' }, { until: '1\n' }, { signal: 'SIGUSR1' }],
  },
  {
    name: 'signal-different-ones',
    argv: ['sh', '-c', trapping('HUP USR1 USR2 INT QUIT')],
    steps: [
      ready,
      ...(['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'] as const).flatMap((signal) => [
        { signal },
        { until: `got ${signal.slice(3)}` },
      ]),
      { signal: 'SIGTERM' },
    ],
  },
  {
    name: 'signal-while-no-stdin-is-read',
    argv: ['sh', '-c', once('INT', 5)],
    stdin: 'pipe',
    steps: [ready, { write: 'x'.repeat(30_000) }, { signal: 'SIGINT' }],
  },
  {
    name: 'signal-while-output-waits',
    argv: ['sh', '-c', 'trap "exit 6" TERM; echo ready; yes & wait'],
    steps: [
      ready,
      { pause: 'stdout' },
      { sleep: 300 },
      { signal: 'SIGTERM' },
      { sleep: 100 },
      { resume: 'stdout' },
    ],
    mask: [[/^ready[y\n]+$/, '(yes)']],
  },
  {
    name: 'signal-in-a-flood-of-small-writes',
    argv: ['sh', '-c', 'trap "exit 3" INT; echo ready; while :; do echo y; done'],
    steps: [ready, { sleep: 2000 }, { signal: 'SIGINT' }],
    mask: [[/^ready[y\n]+$/, '(yes)']],
  },
  { name: 'signal-to-node', argv: ['node', '-e', ofNode], steps: [ready, { signal: 'SIGTERM' }] },
  {
    name: 'signal-INT-to-node',
    argv: ['node', '-e', "setInterval(() => {}, 1000); console.log('ready');"],
    steps: [ready, { signal: 'SIGINT' }],
  },
  {
    name: 'signal-INT-to-python',
    argv: ['python3', '-c', 'import time\nprint("ready", flush=True)\ntime.sleep(10)'],
    steps: [ready, { sleep: 300 }, { signal: 'SIGINT' }],
  },
  {
    name: 'signal-caught-by-python',
    argv: ['python3', '-c', ofPython],
    steps: [ready, { signal: 'SIGINT' }],
  },
  {
    name: 'signal-TSTP-stops',
    argv: ['sh', '-c', 'echo ready; sleep 1; echo on'],
    steps: [
      ready,
      { sleep: 200 },
      { signal: 'SIGTSTP' },
      { untilStopped: true },
      { sleep: 200 },
      { foreground: true },
    ],
  },
  {
    name: 'signal-TSTP-is-caught',
    argv: ['sh', '-c', 'trap "echo no stop; exit 2" TSTP; echo ready; while :; do :; done'],
    steps: [ready, { signal: 'SIGTSTP' }],
  },
  {
    name: 'signal-stopped-then-killed',
    argv: ['sh', '-c', 'echo ready; sleep 20'],
    steps: [
      ready,
      { sleep: 200 },
      { signal: 'SIGTSTP' },
      { untilStopped: true },
      { signal: 'SIGTERM' },
      { signal: 'SIGCONT' },
    ],
  },
  {
    name: 'signal-CONT-is-caught',
    argv: ['sh', '-c', once('CONT', 9)],
    steps: [ready, { signal: 'SIGCONT' }],
  },
  {
    name: 'signal-stops-itself',
    argv: ['sh', '-c', 'echo ready; kill -STOP $$; echo on'],
    steps: [ready, { untilStopped: true }, { foreground: true }],
  },
  {
    name: 'signal-stops-itself-twice',
    argv: ['sh', '-c', 'kill -TSTP $$; echo one; kill -TSTP $$; echo two'],
    steps: [
      { untilStopped: true },
      { foreground: true },
      { until: 'one' },
      { untilStopped: true },
      { foreground: true },
    ],
  },
  {
    name: 'signal-mask-and-dispositions',
    argv: ['grep', '-E', '^(SigBlk|SigIgn|SigCgt|SigPnd|ShdPnd)', '/proc/self/status'],
  },
  {
    name: 'signal-ignored-ones-are-inherited',
    argv: ['grep', 'SigIgn', '/proc/self/status'],
    ignored: ['SIGINT', 'SIGQUIT', 'SIGPIPE', 'SIGHUP', 'SIGTTOU', 'SIGCHLD'],
  },
  {
    name: 'signal-ignored-as-by-nohup',
    argv: ['sh', '-c', 'trap "echo caught" HUP; echo ready; sleep 0.3; echo end'],
    ignored: ['SIGHUP'],
    steps: [ready, { signal: 'SIGHUP' }],
  },
];
