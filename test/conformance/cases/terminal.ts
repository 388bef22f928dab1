import type { Case } from '../case.ts';
import { modes } from './terminal-modes.ts';

const pts = [[/\/dev\/pts\/\d+/g, '/dev/pts/N']] as const;
const kinds = 'for f in 0 1 2; do test -t $f && echo "$f terminal" || echo "$f none"; done';
const raw = 'stty raw -echo; printf "ready"; dd bs=1 count=4 2>/dev/null | od -An -tx1; stty sane; echo done';
const ready = { until: 'ready' } as const;

export const terminalCases: readonly Case[] = [
  { name: 'terminal-name', argv: ['tty'], tty: true, mask: pts },
  { name: 'terminal-modes', argv: ['stty', '-a'], tty: true },
  { name: 'terminal-size', argv: ['stty', 'size'], tty: [132, 43] },
  { name: 'terminal-of-no-size', argv: ['stty', 'size'], tty: [0, 0] },
  {
    name: 'terminal-size-in-node',
    argv: [
      'node',
      '-p',
      '[process.stdout.columns, process.stdout.rows, process.stdin.isTTY, process.stderr.isTTY]',
    ],
    tty: [100, 30],
  },
  { name: 'terminal-size-by-tput', argv: ['sh', '-c', 'tput cols; tput lines'], tty: [77, 11] },
  { name: 'terminal-on-all', argv: ['sh', '-c', kinds], tty: true },
  { name: 'terminal-but-stderr', argv: ['sh', '-c', `${kinds}; echo apart >&2`], tty: true, stderr: 'pipe' },
  { name: 'terminal-but-stderr-null', argv: ['sh', '-c', kinds], tty: true, stderr: 'null' },
  { name: 'terminal-but-stderr-closed', argv: ['sh', '-c', kinds], tty: true, stderr: 'closed' },
  { name: 'terminal-output', argv: ['printf', 'a\\nb\\r\\nc\\td'], tty: true },
  { name: 'terminal-output-of-both', argv: ['sh', '-c', 'echo o; echo e >&2; echo o2'], tty: true },
  { name: 'terminal-much-output', argv: ['seq', '20000'], tty: true },
  {
    name: 'terminal-output-raw',
    argv: ['sh', '-c', 'stty -opost; printf "a\\nb\\n"; stty opost; echo c'],
    tty: true,
  },
  { name: 'terminal-exit-code', argv: ['sh', '-c', 'exit 9'], tty: true },
  {
    name: 'terminal-resize',
    argv: ['bash', '-c', 'trap "stty size; exit" WINCH; echo ready; while :; do :; done'],
    tty: true,
    steps: [ready, { resize: [90, 20] }],
  },
  {
    name: 'terminal-resize-twice',
    argv: ['sh', '-c', 'trap "stty size" WINCH; echo ready; while :; do :; done'],
    tty: true,
    steps: [
      ready,
      { resize: [90, 20] },
      { until: '20 90' },
      { resize: [33, 44] },
      { until: '44 33' },
      { signal: 'SIGTERM' },
    ],
  },
  {
    name: 'terminal-resize-in-node',
    argv: [
      'node',
      '-e',
      "process.stdout.on('resize', () => { console.log(process.stdout.getWindowSize()); process.exit(); }); setInterval(() => {}, 999); console.log('ready')",
    ],
    tty: true,
    steps: [ready, { resize: [70, 7] }],
  },
  {
    name: 'terminal-echo-and-lines',
    argv: ['sh', '-c', 'echo ready; read a; echo "<$a>"; read b; echo "<$b>"'],
    tty: true,
    steps: [ready, { write: 'one\r' }, { until: '<one>' }, { write: 'two\n' }],
  },
  {
    name: 'terminal-erase-and-kill',
    argv: ['sh', '-c', 'echo ready; read a; echo "<$a>"'],
    tty: true,
    steps: [ready, { write: 'abx\x7fc\x7f\x7fq\x15final\n' }],
  },
  {
    name: 'terminal-end-of-file',
    argv: ['sh', '-c', 'echo ready; exec cat'],
    tty: true,
    // What is typed before the tool has started is echoed by both terminals.
    steps: [ready, { write: 'line\n' }, { until: 'line\r\nline' }, { write: '\x04' }],
  },
  {
    name: 'terminal-end-of-file-in-a-line',
    argv: ['sh', '-c', 'echo ready; cat; echo end'],
    tty: true,
    steps: [ready, { write: 'part\x04' }, { until: 'partpart' }, { write: '\x04' }],
  },
  {
    name: 'terminal-end-of-file-to-read',
    argv: ['sh', '-c', 'echo ready; read a; echo "status $?"'],
    tty: true,
    steps: [ready, { write: '\x04' }],
  },
  {
    name: 'terminal-literal-next',
    argv: ['sh', '-c', 'echo ready; read a; printf %s "$a" | od -An -c'],
    tty: true,
    steps: [ready, { write: '\x16\x03\x16\x04\n' }],
  },
  {
    name: 'terminal-no-echo',
    argv: ['sh', '-c', 'stty -echo; printf "ready"; read a; stty echo; echo "<$a>"'],
    tty: true,
    steps: [ready, { write: 'secret\n' }],
  },
  {
    name: 'terminal-raw',
    argv: ['sh', '-c', raw],
    tty: true,
    steps: [ready, { write: '\x03' }, { write: '\x1a' }, { write: '\r' }, { write: 'x' }],
    mask: modes,
  },
  {
    name: 'terminal-cbreak',
    argv: [
      'sh',
      '-c',
      'stty -icanon min 1 time 0; printf ready; dd bs=1 count=1 2>/dev/null; stty icanon; echo',
    ],
    tty: true,
    steps: [ready, { write: 'k' }],
  },
  { name: 'terminal-read-times-out', argv: ['bash', '-c', 'read -t 0.3 a; echo "status $?"'], tty: true },
  {
    name: 'terminal-read-one-key',
    argv: ['bash', '-c', 'read -rsn1 -p "key? " k; echo "got $k"'],
    tty: true,
    steps: [{ until: 'key? ' }, { write: 'z' }],
  },
  {
    name: 'terminal-raw-node',
    argv: [
      'node',
      '-e',
      "process.stdin.setRawMode(true); process.stdin.once('data', (d) => { console.log([...d]); process.exit(); }); process.stdout.write('ready')",
    ],
    tty: true,
    steps: [ready, { write: '\x03' }],
  },
  {
    name: 'terminal-colours-of-ls',
    argv: ['ls', '--color=auto', '-F'],
    setup: 'mkdir d; touch f; ln -s f l; touch x; chmod +x x',
    tty: true,
  },
  { name: 'terminal-columns-of-ls', argv: ['ls'], setup: 'touch $(seq -w 60)', tty: [60, 24] },
  {
    name: 'terminal-colours-of-grep',
    argv: ['grep', '--color=auto', '-n', 'b', 'f'],
    setup: 'echo abc >f',
    tty: true,
  },
  { name: 'terminal-colours-of-node', argv: ['node', '-p', '({ a: 1, b: "s", c: null })'], tty: true },
  {
    name: 'terminal-paste',
    argv: ['sh', '-c', 'echo ready; head -n 40 | wc'],
    tty: true,
    steps: [ready, { write: 'a line of a paste\n'.repeat(40) }],
  },
  {
    name: 'terminal-dev-tty',
    argv: ['sh', '-c', 'echo to the terminal >/dev/tty; read a </dev/tty; echo "<$a>"'],
    tty: true,
    steps: [{ until: 'terminal' }, { write: 'typed\n' }],
  },
  {
    name: 'terminal-foreground-group',
    argv: [
      'sh',
      '-c',
      'ps -o stat=,tty= -p $$ | tr -s " "; set -- $(cat /proc/$$/stat); test $5 = $8 && echo in the foreground; test $1 = $6 || echo leads no session',
    ],
    tty: true,
    mask: [
      [/pts\/\d+/g, 'pts/N'],
      [/^[RS]/, 'S'],
    ],
  },
  {
    name: 'terminal-double-fork',
    argv: ['sh', '-c', '(sleep 20 &); (setsid sleep 20 &); echo done'],
    tty: true,
  },
  {
    name: 'terminal-flow-control',
    argv: ['sh', '-c', 'echo ready; read a; echo "<$a>"'],
    tty: true,
    steps: [ready, { write: '\x13' }, { write: 'held\n' }, { sleep: 200 }, { write: '\x11' }],
  },
];
