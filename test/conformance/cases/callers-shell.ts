import type { Case } from '../case.ts';

/** The caller's own shell runs tools, some of them through Clawrden, with pipes, files and jobs between them. */
const shell = (name: string, script: string, tools: readonly string[], more: Partial<Case> = {}): Case => ({
  name: `shell-${name}`,
  argv: ['/bin/sh', '-c', script],
  tools,
  ...more,
});

export const callersShellCases: readonly Case[] = [
  shell('yes-into-head', 'yes | head -n 3; echo $?', ['yes', 'head']),
  shell('status-of-yes-killed-by-a-pipe', 'exec 3>&1; { yes; echo "yes $?" >&3; } | { read a; echo "$a"; }', [
    'yes',
  ]),
  shell('pipe-of-three', 'seq 2000 | grep 7 | tail -n 2', ['seq', 'grep', 'tail']),
  shell('redirections', 'ls nothing >out 2>err; echo $? >code; cat <code; wc -l <err', ['ls', 'cat', 'wc']),
  shell('both-into-one-file', 'sort --wrong >log 2>&1; echo $?; wc -l <log', ['sort', 'wc']),
  shell('append', 'seq 2 >>f; seq 3 4 >>f; cat f', ['seq', 'cat'], { setup: 'echo 0 >f' }),
  shell('input-from-a-file', 'sort <f', ['sort'], { setup: 'printf "b\\na\\n" >f' }),
  shell('input-shared-by-two', '{ bash -c "read a; echo got $a"; cat; } <f', ['bash', 'cat'], {
    setup: 'printf "1\\n2\\n3\\n" >f',
  }),
  shell('input-left-for-the-next', '{ dd bs=2 count=1 status=none; cat; } <f', ['dd', 'cat'], {
    setup: 'printf "1\\n2\\n3\\n" >f',
  }),
  shell('piped-input-left-for-the-next', 'printf "1\\n2\\n3\\n" | { dd bs=2 count=1 status=none; cat; }', [
    'dd',
    'cat',
  ]),
  shell('loop-reads-its-own-input', 'seq 3 | while read n; do echo "n=$n"; true; done', ['seq', 'true']),
  shell(
    'loop-with-a-reader-inside',
    'printf "a\\nb\\nc\\n" | while read l; do echo "l=$l"; cat >/dev/null; done',
    ['cat'],
  ),
  shell('here-document', 'cat <<E\none\ntwo $((1+1))\nE', ['cat']),
  shell('command-substitution', 'x=$(seq 3 | tail -n 1); echo "x=$x $(printf no-newline)"', [
    'seq',
    'tail',
    'printf',
  ]),
  shell('exit-statuses', 'for c in 0 1 7 255; do node -e "process.exit($c)"; echo $?; done', ['node'], {
    timeoutMs: 30_000,
  }),
  shell('and-or', 'true && echo yes || echo no; false && echo yes || echo no; ! false; echo $?', [
    'true',
    'false',
  ]),
  shell('background-and-wait', 'sleep 0.3 & wait $!; echo $?', ['sleep']),
  shell('background-killed', 'sleep 20 & sleep 0.5; kill $!; wait $! 2>/dev/null; echo $?', ['sleep']),
  shell('background-killed-hard', 'sleep 20 & sleep 0.5; kill -9 $!; wait $! 2>/dev/null; echo $?', [
    'sleep',
  ]),
  shell('background-does-not-read', 'cat & wait; echo "then $?"', ['cat'], {
    stdin: { bytes: 'not for cat\n' },
    keepStdin: true,
  }),
  shell('trap-passes-on', 'trap "" INT; sleep 0.3; echo "lived $?"', ['sleep']),
  shell('death-by-signal-is-told', 'node -e "process.kill(process.pid, 15)"; echo $?', ['node']),
  shell('exec', 'exec seq 2', ['seq']),
  shell('exec-with-exit-code', 'exec grep -q x /dev/null', ['grep']),
  shell('xargs-runs-them', 'printf "a b c" | xargs -n1 printf "<%s>"', ['printf']),
  shell('find-runs-them', 'find . -name "*.t" -exec wc -c {} ";"', ['wc'], { setup: 'echo 123 >a.t' }),
  shell('timeout-runs-one', 'timeout 0.7 sleep 20; echo $?', ['sleep']),
  shell('env-for-one', 'CASE_X=only-here printenv CASE_X; printenv CASE_X || echo gone', ['printenv']),
  shell('umask-for-one', '(umask 077; touch a); touch b; stat -c "%a %n" a b', ['touch', 'stat']),
  shell('cd-for-one', 'mkdir d; cd d; pwd; cd ..; pwd', ['mkdir']),
  shell('files-between-commands', 'mkdir -p d; seq 3 >d/a; cp d/a d/b; cmp d/a d/b && rm d/a; ls d', [
    'mkdir',
    'seq',
    'cp',
    'cmp',
    'rm',
    'ls',
  ]),
  shell('tee-in-the-middle', 'seq 3 | tee copy | tail -n 1; cat copy', ['seq', 'tee', 'tail', 'cat']),
  shell('large-pipe', 'head -c 2000000 /dev/zero | wc -c', ['head', 'wc']),
  shell('binary-pipe', 'head -c 100000 /dev/zero | tr "\\0" "\\377" | sha256sum', [
    'head',
    'tr',
    'sha256sum',
  ]),
  shell('stdout-closed', 'seq 3 >&-; echo "status $?"', ['seq']),
  shell('stdout-on-a-full-device', 'seq 3 >/dev/full 2>/dev/null && echo written || echo lost', ['seq']),
  shell('stdin-a-folder-that-nobody-reads', 'true </; echo "status $?"', ['true']),
  shell('stdin-a-folder', 'cat </ 2>/dev/null; echo "status $?"', ['cat']),
  shell('stdin-only-for-writing', 'cat 0>f 2>/dev/null; echo "status $?"', ['cat']),
  shell('stdin-closed', 'cat <&-; echo "status $?"', ['cat']),
  shell(
    'stderr-to-stdout-order',
    "node -e \"for (let i = 0; i < 20; i++) { fs.writeSync(1, 'o' + i); fs.writeSync(2, 'e' + i); }\" 2>&1 | cat",
    ['node', 'cat'],
  ),
  shell('fifo', 'mkfifo p; seq 3 >p & cat p; wait', ['seq', 'cat', 'mkfifo']),
  shell('many-at-once', 'for i in 1 2 3 4; do (seq $i >out.$i) & done; wait; cat out.*', ['seq']),
  shell(
    'terminal-job',
    'set -m; sleep 20 & sleep 0.5; jobs; kill %1; wait; echo done; sleep 0.3; echo foreground',
    ['sleep'],
    { tty: true },
  ),
  shell(
    'dialogue-in-a-terminal',
    'read a; bash -c "printf ready; read b; echo b=\\$b"; echo "a=$a"',
    ['bash'],
    {
      tty: true,
      steps: [{ sleep: 100 }, { write: 'mine\n' }, { until: 'ready' }, { write: 'yours\n' }],
    },
  ),
];
