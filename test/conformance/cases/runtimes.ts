import type { Case } from '../case.ts';

const npmPackage = `printf '{"name":"p","version":"1.2.3","scripts":{"hello":"echo from script; exit 4","args":"node -p process.argv","in":"cat"}}' >package.json`;
const noTimes = [[/\d{4}-\d\d-\d\dT[\d_.:]+Z(-debug-\d+)?/g, 'TIME']] as const;

export const runtimeCases: readonly Case[] = [
  { name: 'node-version', argv: ['node', '--version'] },
  { name: 'node-print', argv: ['node', '-p', '[1, "a", { b: new Map([[1, 2]]) }]'] },
  {
    name: 'node-large-output-then-exit',
    argv: ['node', '-e', "process.stdout.write('x'.repeat(1 << 20), () => process.exit(5))"],
  },
  { name: 'node-syntax-error', argv: ['node', '-e', 'let let = 1'] },
  {
    name: 'node-unhandled-rejection',
    argv: ['node', '-e', "Promise.reject(new Error('nobody'))"],
    mask: [[/node:internal[^\n]*/g, 'node:internal']],
  },
  {
    name: 'node-child-process',
    argv: [
      'node',
      '-e',
      "const c = require('child_process').spawnSync('sh', ['-c', 'echo child; exit 3'], { stdio: 'inherit' }); console.log(c.status)",
    ],
  },
  {
    name: 'node-child-pipes',
    argv: [
      'node',
      '-e',
      "const c = require('child_process').spawn('cat'); c.stdout.pipe(process.stdout); c.stdin.end('through a child')",
    ],
  },
  {
    name: 'node-worker',
    argv: ['node', '-e', "new (require('worker_threads').Worker)('console.log(1 + 1)', { eval: true })"],
  },
  { name: 'node-timers', argv: ['node', '-e', "setTimeout(() => console.log('b'), 50); console.log('a')"] },
  {
    name: 'node-readline',
    argv: [
      'node',
      '-e',
      "require('readline').createInterface({ input: process.stdin }).on('line', (l) => console.log('<' + l + '>'))",
    ],
    stdin: { bytes: 'a\nb' },
  },
  {
    name: 'node-columns-without-terminal',
    argv: ['node', '-p', '[process.stdout.columns, process.stdout.hasColors?.()]'],
  },
  {
    name: 'node-event-loop-stays',
    argv: ['node', '-e', "process.stdin.resume(); process.stdin.on('end', () => console.log('ended'))"],
    stdin: 'pipe',
    steps: [{ sleep: 200 }, { end: 'stdin' }],
  },
  {
    name: 'node-os-facts',
    argv: [
      'node',
      '-p',
      '[os.userInfo().username, os.userInfo().uid, os.platform(), os.tmpdir(), process.umask().toString(8)]',
    ],
  },
  { name: 'node-network-is-absent', argv: ['node', '-p', 'Object.keys(os.networkInterfaces())'] },
  {
    name: 'node-listens-on-loopback',
    argv: [
      'node',
      '-e',
      "const s = require('net').createServer((c) => c.end('over tcp')).listen(0, '127.0.0.1', () => require('net').connect(s.address().port, '127.0.0.1').on('data', (d) => { console.log(String(d)); s.close(); }))",
    ],
  },
  { name: 'npm-version', argv: ['npm', '--version'], timeoutMs: 40_000 },
  { name: 'npm-run', argv: ['npm', 'run', 'hello'], setup: npmPackage, mask: noTimes, timeoutMs: 40_000 },
  {
    name: 'npm-run-with-arguments',
    argv: ['npm', 'run', '-s', 'args', '--', 'a b', ''],
    setup: npmPackage,
    timeoutMs: 40_000,
  },
  {
    name: 'npm-run-with-stdin',
    argv: ['npm', 'run', '-s', 'in'],
    setup: npmPackage,
    stdin: { bytes: 'to the script\n' },
    timeoutMs: 40_000,
  },
  { name: 'npm-init', argv: ['npm', 'init', '-y'], timeoutMs: 40_000 },
  { name: 'npm-pkg-get', argv: ['npm', 'pkg', 'get', 'version'], setup: npmPackage, timeoutMs: 40_000 },
  { name: 'npm-without-package', argv: ['npm', 'test'], mask: noTimes, timeoutMs: 40_000 },
  { name: 'python-version', argv: ['python3', '--version'] },
  {
    name: 'python-streams',
    argv: [
      'python3',
      '-c',
      'import sys\nprint("o"); print("e", file=sys.stderr); sys.stdout.flush(); sys.stdout.buffer.write(bytes(range(256)))',
    ],
  },
  {
    name: 'python-encoding',
    argv: ['python3', '-c', 'import sys; print(sys.stdout.encoding, sys.stdin.encoding, "ü")'],
  },
  {
    name: 'python-stdio-facts',
    argv: [
      'python3',
      '-c',
      'import os, stat\nprint([stat.S_IFMT(os.fstat(f).st_mode) for f in (0, 1, 2)], [os.get_blocking(f) for f in (0, 1, 2)])',
    ],
    stdin: { bytes: '' },
  },
  {
    name: 'python-broken-pipe',
    argv: ['python3', '-c', 'import time\nfor i in range(10**6): print("line", flush=True)'],
    steps: [{ until: 'line' }, { close: 'stdout' }],
    mask: [
      [/^[line\n]+/, '(lines)'],
      [/File "<string>".*/, 'where'],
    ],
  },
  {
    name: 'python-subprocess',
    argv: [
      'python3',
      '-c',
      'import os, sys\nsys.stdout.flush()\npid = os.fork()\nif pid == 0: os._exit(9)\nprint(os.waitpid(pid, 0)[1] >> 8)',
    ],
  },
];
