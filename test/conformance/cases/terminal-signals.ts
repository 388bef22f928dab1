import type { Case } from '../case.ts';
import { modes } from './terminal-modes.ts';

const ready = { until: 'ready' } as const;

export const terminalSignalCases: readonly Case[] = [
  {
    name: 'terminal-interrupt',
    argv: ['sh', '-c', 'echo ready; exec sleep 20'],
    tty: true,
    steps: [ready, { write: '\x03' }],
  },
  {
    name: 'terminal-interrupt-is-caught',
    argv: ['sh', '-c', 'trap "echo caught; exit 3" INT; echo ready; while :; do :; done'],
    tty: true,
    steps: [ready, { write: '\x03' }],
  },
  {
    name: 'terminal-interrupt-is-ignored',
    argv: ['sh', '-c', 'trap "" INT; echo ready; sleep 0.5; echo survived'],
    tty: true,
    steps: [ready, { write: '\x03' }],
  },
  {
    name: 'terminal-interrupt-of-cat',
    argv: ['sh', '-c', 'echo ready; cat; echo not reached'],
    tty: true,
    steps: [ready, { sleep: 300 }, { write: 'x\x03' }],
  },
  {
    name: 'terminal-interrupt-of-a-child',
    argv: ['bash', '-c', 'trap "echo parent too" INT; echo ready; sleep 20; echo "status $?"'],
    tty: true,
    steps: [ready, { sleep: 200 }, { write: '\x03' }],
  },
  {
    name: 'terminal-interrupt-in-python',
    argv: ['python3', '-c', 'import time\nprint("ready")\ntime.sleep(10)'],
    tty: true,
    steps: [ready, { sleep: 100 }, { write: '\x03' }],
  },
  {
    name: 'terminal-quit',
    argv: ['sh', '-c', 'ulimit -c 0; echo ready; exec sleep 20'],
    tty: true,
    steps: [ready, { sleep: 200 }, { write: '\x1c' }],
  },
  {
    name: 'terminal-quit-is-caught',
    argv: ['sh', '-c', 'trap "echo caught; exit 4" QUIT; echo ready; while :; do :; done'],
    tty: true,
    steps: [ready, { write: '\x1c' }],
  },
  {
    name: 'terminal-suspend',
    argv: ['sh', '-c', 'echo ready; sleep 1; echo on'],
    tty: true,
    steps: [
      ready,
      { sleep: 100 },
      { write: '\x1a' },
      { untilStopped: true },
      { sleep: 200 },
      { foreground: true },
    ],
  },
  {
    name: 'terminal-suspend-twice',
    argv: ['sh', '-c', 'echo ready; sleep 0.7; echo on; sleep 0.7; echo end'],
    tty: true,
    steps: [
      ready,
      { sleep: 100 },
      { write: '\x1a' },
      { untilStopped: true },
      { foreground: true },
      { until: 'on' },
      { sleep: 100 },
      { write: '\x1a' },
      { untilStopped: true },
      { foreground: true },
    ],
  },
  {
    name: 'terminal-suspend-in-raw-mode',
    argv: ['sh', '-c', 'stty -icanon -echo; echo ready; sleep 1; stty sane; echo on'],
    tty: true,
    steps: [ready, { sleep: 100 }, { write: '\x1a' }, { untilStopped: true }, { foreground: true }],
    mask: modes,
  },
  {
    name: 'terminal-suspend-then-type',
    argv: ['sh', '-c', 'echo ready; read a; echo "<$a>"'],
    tty: true,
    steps: [
      ready,
      { sleep: 100 },
      { write: '\x1a' },
      { untilStopped: true },
      { foreground: true },
      { sleep: 300 },
      { write: 'back\n' },
    ],
  },
  {
    name: 'terminal-suspend-is-caught',
    argv: ['bash', '-c', 'trap "echo no; exit 2" TSTP; echo ready; while :; do :; done'],
    tty: true,
    steps: [ready, { write: '\x1a' }],
  },
  {
    name: 'terminal-killed-from-outside',
    argv: ['sh', '-c', 'stty raw -echo; printf ready; exec sleep 20'],
    tty: true,
    steps: [ready, { signal: 'SIGTERM' }],
    mask: modes,
  },
  {
    name: 'terminal-hangup-from-outside',
    argv: ['sh', '-c', 'trap "echo hup; exit 1" HUP; echo ready; while :; do :; done'],
    tty: true,
    steps: [ready, { signal: 'SIGHUP' }],
  },
];
