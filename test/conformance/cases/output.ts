import type { Case } from '../case.ts';

const both = 'echo out 1; echo err 1 >&2; echo out 2; echo err 2 >&2; printf end; printf END >&2';
const alternating = 'i=0; while [ $i -lt 200 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done';
const kinds = 'for f in 0 1 2; do readlink /proc/$$/fd/$f; done | sed "s/:.*//"';

export const outputCases: readonly Case[] = [
  { name: 'output-both-apart', argv: ['sh', '-c', both] },
  { name: 'output-both-as-one', argv: ['sh', '-c', both], stderr: 'same' },
  { name: 'output-alternating-as-one', argv: ['sh', '-c', alternating], stderr: 'same' },
  { name: 'output-alternating-apart', argv: ['sh', '-c', alternating] },
  { name: 'output-none', argv: ['true'] },
  { name: 'output-stderr-only', argv: ['sh', '-c', 'echo wrong >&2; exit 2'] },
  {
    name: 'output-all-bytes',
    argv: ['node', '-e', 'process.stdout.write(Buffer.from(Array.from({length:256},(_, i)=>i)))'],
  },
  { name: 'output-printf-binary', argv: ['printf', '\\000\\001\\377\\200\\n\\r\\033'] },
  { name: 'output-crlf', argv: ['printf', 'a\\r\\nb\\n\\rc'] },
  { name: 'output-last-line-without-newline', argv: ['printf', 'no newline'] },
  { name: 'output-3-MiB', argv: ['head', '-c', '3145728', '/dev/zero'] },
  { name: 'output-3-MiB-on-stderr', argv: ['sh', '-c', 'head -c 3145728 /dev/zero >&2'] },
  {
    name: 'output-many-small-writes',
    argv: ['node', '-e', "for (let i = 0; i < 100000; i++) fs.writeSync(1, i + ' ')"],
  },
  { name: 'output-seq', argv: ['seq', '100000'] },
  { name: 'output-yes-head-inside', argv: ['sh', '-c', 'yes | head -n 3'] },
  { name: 'output-pipe-status-inside', argv: ['bash', '-c', 'yes | head -n 1; echo ${PIPESTATUS[@]}'] },
  {
    name: 'output-reader-goes-away',
    argv: ['yes'],
    steps: [{ until: 'y\ny\n' }, { close: 'stdout' }],
    mask: [[/^[y\n]+$/, '(yes)']],
  },
  {
    name: 'output-stderr-reader-goes-away',
    argv: ['sh', '-c', 'while :; do echo e >&2; done'],
    steps: [{ untilError: 'e\n' }, { close: 'stderr' }],
    mask: [[/^[e\n]+$/, '(e)']],
  },
  {
    name: 'output-SIGPIPE-ignored',
    argv: ['yes'],
    ignored: ['SIGPIPE'],
    steps: [{ until: 'y\ny\n' }, { close: 'stdout' }],
    mask: [[/^[y\n]+$/, '(yes)']],
  },
  {
    name: 'output-one-reader-gone-other-reads',
    argv: ['sh', '-c', 'trap "" PIPE; echo first; sleep 0.3; echo lost 2>/dev/null; echo "status $?" >&2'],
    steps: [{ until: 'first' }, { close: 'stdout' }],
  },
  {
    name: 'output-stdout-closed',
    argv: ['sh', '-c', 'echo lost 2>/dev/null || echo "cannot write" >&2'],
    stdout: 'closed',
  },
  { name: 'output-stderr-closed', argv: ['sh', '-c', 'echo out; echo lost >&2; echo $?'], stderr: 'closed' },
  { name: 'output-both-closed', argv: ['sh', '-c', 'exit 6'], stdout: 'closed', stderr: 'closed' },
  {
    name: 'output-all-closed',
    argv: ['sh', '-c', 'exit 6'],
    stdin: 'closed',
    stdout: 'closed',
    stderr: 'closed',
  },
  {
    name: 'output-stdout-null',
    argv: ['sh', '-c', 'echo lost; echo kept >&2; x=$(readlink /proc/$$/fd/1); echo "$x" >&2'],
    stdout: 'null',
  },
  {
    name: 'output-stderr-null',
    argv: ['sh', '-c', 'echo kept; echo lost >&2; readlink /proc/$$/fd/2; :'],
    stderr: 'null',
  },
  { name: 'output-kinds', argv: ['sh', '-c', kinds] },
  { name: 'output-full-device', argv: ['sh', '-c', 'echo lost >/dev/full'] },
  {
    name: 'output-first-line-at-once',
    argv: ['sh', '-c', 'echo now; read x; echo "then $x"'],
    stdin: 'pipe',
    steps: [{ until: 'now\n' }, { write: 'x\n' }],
  },
  {
    name: 'output-without-newline-at-once',
    argv: ['sh', '-c', 'printf "name? "; read x; echo "hello $x"'],
    stdin: 'pipe',
    steps: [{ until: 'name? ' }, { write: 'you\n' }],
  },
  {
    name: 'output-stderr-at-once',
    argv: ['sh', '-c', 'echo ask >&2; read x; echo "got $x"'],
    stdin: 'pipe',
    steps: [{ untilError: 'ask' }, { write: 'x\n' }],
  },
  {
    name: 'output-slow-reader',
    argv: ['seq', '200000'],
    steps: [{ pause: 'stdout' }, { sleep: 700 }, { resume: 'stdout' }],
  },
  {
    name: 'output-stderr-while-stdout-waits',
    argv: ['sh', '-c', 'echo e1 >&2; seq 1000; echo e2 >&2'],
    steps: [{ pause: 'stdout' }, { sleep: 200 }, { resume: 'stdout' }],
  },
  { name: 'output-written-by-a-grandchild', argv: ['sh', '-c', '(echo child; (echo grandchild))'] },
  { name: 'output-of-dd', argv: ['dd', 'if=/dev/zero', 'bs=1k', 'count=8'], mask: [[/copied.*/g, 'copied']] },
  { name: 'output-tee', argv: ['tee', 'copy'], stdin: { bytes: 'to both\n' } },
  {
    name: 'output-large-lines',
    argv: ['awk', 'BEGIN { for (i = 0; i < 5; i++) { s = sprintf("%70000d", i); print s } }'],
  },
  {
    name: 'output-after-stdin-closes',
    argv: ['sh', '-c', 'cat >/dev/null; seq 3; echo done >&2'],
    stdin: { bytes: 'x'.repeat(300_000) },
  },
];
