import type { Case } from '../case.ts';

const umasks = [0, 0o002, 0o022, 0o027, 0o077, 0o777];
const awkward = "touch 'with space' 'new\nline' 'tab\there' \"quote'\" -- -dash 'ümlaut' '*'";

export const fileCases: readonly Case[] = [
  ...umasks.map(
    (umask): Case => ({
      name: `file-umask-${umask.toString(8)}`,
      argv: ['sh', '-c', 'umask; touch file; mkdir folder; ls -ld file folder | cut -c1-10'],
      umask,
    }),
  ),
  { name: 'file-touch', argv: ['touch', 'a', 'b', 'c'] },
  {
    name: 'file-written-by-node',
    argv: [
      'node',
      '-e',
      "fs.writeFileSync('out.txt', 'content\\n'); fs.mkdirSync('d/e/f', { recursive: true })",
    ],
  },
  { name: 'file-owner', argv: ['sh', '-c', 'touch new; stat -c "%u %g %a %F" new .'] },
  { name: 'file-id', argv: ['id'] },
  { name: 'file-whoami', argv: ['whoami'] },
  { name: 'file-awkward-names', argv: ['ls', '-1b'], setup: awkward },
  { name: 'file-awkward-names-made', argv: ['sh', '-c', awkward] },
  {
    name: 'file-links',
    argv: [
      'sh',
      '-c',
      'ln a hard; ln -s a soft; ln -s /etc/passwd out; ln -s nowhere broken; stat -c "%h %N" a hard soft broken',
    ],
    setup: 'echo a >a',
  },
  {
    name: 'file-copy-of-a-tree',
    argv: ['cp', '-a', 'from', 'to'],
    setup: 'mkdir -p from/x/y; echo 1 >from/x/1; ln -s 1 from/x/l; chmod 700 from/x/y; chmod 4755 from/x/1',
  },
  {
    name: 'file-remove-of-a-tree',
    argv: ['rm', '-rv', 'tree'],
    setup: 'mkdir -p tree/a/b; touch tree/a/b/c',
  },
  { name: 'file-move', argv: ['mv', '-v', 'old', 'new'], setup: 'echo x >old' },
  {
    name: 'file-deep-tree',
    // 300 processes one after another: on a busy machine they take longer than other cases.
    timeoutMs: 60_000,
    strategies: ['ghost', 'mirror'],
    argv: [
      'sh',
      '-c',
      'i=0; while [ $i -lt 300 ]; do mkdir d && cd d || exit; i=$((i+1)); done; pwd | wc -c',
    ],
  },
  { name: 'file-setuid-on-ones-own', argv: ['sh', '-c', 'touch f; chmod 6755 f; stat -c %a f'] },
  { name: 'file-chown-is-refused', argv: ['chown', 'root', 'f'], setup: 'touch f' },
  { name: 'file-mknod-is-refused', argv: ['mknod', 'dev', 'c', '1', '3'] },
  { name: 'file-mkfifo', argv: ['sh', '-c', 'mkfifo p; (echo through >p &); cat p'] },
  {
    name: 'file-etc-is-not-writable',
    argv: ['sh', '-c', 'echo x >/etc/motd'],
    mask: [[/: (Read-only file system|Permission denied)/, ': refused']],
  },
  { name: 'file-root-is-not-writable', argv: ['touch', '/x'] },
  {
    name: 'file-tmp',
    argv: [
      'sh',
      '-c',
      'd=$(mktemp -d /tmp/XXXXXX) && echo "#!/bin/sh\necho ran" >$d/x && chmod +x $d/x && $d/x; stat -c "%a %u" /tmp; rm -r $d',
    ],
  },
  {
    name: 'file-tmp-and-home-are-empty',
    // Everything that was mirrored before has left its files in the agent's own container.
    strategies: ['ghost'],
    fresh: true,
    argv: [
      'sh',
      '-c',
      'for d in /tmp ~; do ls -A $d; stat -c "%a %u:%g" $d; stat -f -c "%b of %S" $d; touch $d/x; done',
    ],
  },
  { name: 'file-cwd', argv: ['pwd'] },
  { name: 'file-cwd-below', argv: ['pwd'], setup: 'mkdir -p a/b', cwd: 'a/b' },
  {
    name: 'file-cwd-with-odd-name',
    argv: ['sh', '-c', 'pwd; /bin/pwd'],
    setup: "mkdir 'a  b\"ü'",
    cwd: 'a  b"ü',
  },
  {
    name: 'file-cwd-through-a-link',
    argv: ['sh', '-c', 'pwd; pwd -P; /bin/pwd; ls'],
    setup: 'mkdir -p real/inner; ln -s real link',
    cwd: 'link',
  },
  {
    name: 'file-cwd-through-a-link-node',
    argv: ['node', '-p', '[process.cwd(), process.env.PWD]'],
    setup: 'mkdir real; ln -s real link',
    cwd: 'link',
  },
  {
    name: 'file-cwd-through-a-link-up',
    argv: ['bash', '-c', 'cd ..; pwd'],
    setup: 'mkdir -p real/inner; ln -s real/inner link',
    cwd: 'link',
  },
  {
    name: 'file-cwd-that-others-may-not-read',
    argv: ['sh', '-c', 'pwd; ls'],
    setup: 'mkdir -m 711 d; touch d/f; chmod 311 d',
    cwd: 'd',
  },
  {
    name: 'file-script-with-interpreter',
    argv: ['sh', '-c', './s a b'],
    setup: 'printf \'#!/bin/sh\\necho "$0 $*"\\n\' >s; chmod +x s',
  },
  { name: 'file-df-of-the-workspace', argv: ['sh', '-c', 'test -w . && test ! -w / && echo as expected'] },
  { name: 'file-flock', argv: ['sh', '-c', 'flock lock -c "echo locked"; flock -n lock echo again'] },
  {
    name: 'file-mmap-by-node',
    argv: ['node', '-p', "fs.readFileSync('f').length"],
    setup: 'head -c 1000000 /dev/zero >f',
  },
  { name: 'file-sparse', argv: ['sh', '-c', 'truncate -s 1G sparse; stat -c %s sparse; rm sparse'] },
  { name: 'file-times', argv: ['sh', '-c', 'touch -d @1000000000 f; stat -c %Y f'] },
  { name: 'file-dev', argv: ['sh', '-c', 'ls /dev | sort'] },
  {
    name: 'file-dev-stdout',
    argv: ['sh', '-c', 'echo by name >/dev/stdout; echo wrong >/dev/stderr; cat /dev/stdin'],
    stdin: { bytes: 'in by name\n' },
  },
  { name: 'file-dev-tty-without-one', argv: ['sh', '-c', 'echo x >/dev/tty'] },
];
