import { expect, test } from 'vitest';
import { readArguments } from '../arguments/read-arguments.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';
import { lastingFlags } from './lasting-flags.ts';

const facts = { uid: 1000, gid: 1000, agent: 'coder', cwd: '/app' } as const;

function decided(tool: string, flags: readonly string[], line: string): string {
  const parsed = parsePolicy(
    `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: looks, tools: [${tool}], flags: ${JSON.stringify(flags)}, action: allow }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  return decide(parsed.policy, { ...facts, tool, args: line.split(' ') }).action;
}

// Each was seen to do with the real tool what the flag alone keeps it from.
test.each([
  ['git', ['-n', '--dry-run'], 'push -n origin main', 'push -n --no-dry-run origin main'],
  ['git', ['-n', '--dry-run'], 'clean --dry-run x', 'clean --dry-run --no-dry-run x'],
  ['kubectl', ['--dry-run'], 'apply --dry-run -f x', 'apply --dry-run=client --dry-run=none -f x'],
  ['kubectl', ['--dry-run'], 'apply --dry-run -f x', 'apply --dry-run=none -f x'],
  ['terraform', ['-check'], 'fmt -check', 'fmt -check -check=false'],
  ['docker', ['--read-only'], 'run --read-only x', 'run --read-only --read-only=false x'],
  ['npm', ['--ignore-scripts'], 'ci --ignore-scripts', 'ci --ignore-scripts --no-ignore-scripts'],
  ['git', ['-n'], 'push -n origin main', 'push -n --strange origin main'],
] as const)(
  'A-250: %s with %j: an allow rule takes %j, and not %j, which undoes it',
  (tool, flags, takes, not) => {
    expect(decided(tool, flags, takes)).toBe('allow');
    expect(decided(tool, flags, not)).toBe('deny');
  },
);

test('A-250: an option with a value may stand twice, and has its value attached or apart', () => {
  for (const line of ['get pods -n a', 'get pods --namespace=a', 'get pods -n a -n b'])
    expect(decided('kubectl', ['-n', '--namespace'], line)).toBe('allow');
});

test('A-250: of a tool that is not known any flag may be the value of the word before it', () => {
  expect(decided('rsync', ['--dry-run'], '--log-file --dry-run -a s/ t/')).toBe('deny');
  expect(decided('rsync', ['--dry-run'], '--dry-run -a s/ t/')).toBe('deny');
});

// Each tool took what stands behind its first operand, or behind a script, for something else.
test.each([
  ['git', ['--get', '--list', '-l'], 'config --get core.fsmonitor', 'config core.fsmonitor /app/evil --get'],
  ['git', ['--get', '--list', '-l'], 'config -l', 'config alias.x !id -l'],
  ['git', ['--get-url'], 'ls-remote --get-url origin', 'ls-remote ssh://evil.example/x --get-url'],
  ['terraform', ['-check'], 'fmt -check m.tf', 'fmt m.tf -check'],
  ['cargo', ['--locked', '--help'], 'run --locked x', 'run x --locked'],
  ['cargo', ['--locked', '--help'], 'run --help', 'run x --help'],
  ['sed', ['--sandbox'], '--sandbox s/a/b/ f', '-e 1e --sandbox f'],
  ['sed', ['--version'], '--version', '-e 1e --version'],
] as const)('A-274: %s with %j: an allow rule takes %j, and not %j', (tool, flags, takes, not) => {
  expect(decided(tool, flags, takes)).toBe('allow');
  expect(decided(tool, flags, not)).toBe('deny');
});

// Each did with the real tool what the flag alone keeps it from, by an option of another name.
test.each([
  ['git', ['--soft', '--mixed'], 'reset --soft HEAD~1', 'reset --soft --hard HEAD~1'],
  ['git', ['--ff-only'], 'merge --ff-only x', 'merge --ff-only --no-ff x'],
  ['git', ['--ff-only'], 'pull --ff-only', 'pull --ff-only --ff'],
  [
    'git',
    ['--force-with-lease'],
    'push --force-with-lease origin x',
    'push --force-with-lease --force origin x',
  ],
  ['git', ['--force-with-lease'], 'push --force-with-lease origin x', 'push --force-with-lease origin +x'],
  ['git', ['--force-with-lease'], 'push --force-with-lease', 'push --force-with-lease --mirror'],
  ['git', ['--check', '--stat'], 'apply --check --stat p', 'apply --stat --apply p'],
  ['git', ['-d'], 'branch -d x', 'branch -d -f x'],
  ['git', ['-n'], 'add -n f', 'add -n -e f'],
  ['git', ['--no-pager'], '--no-pager log', '--no-pager -p log'],
  ['node', ['--check'], '--check x.js', '--check --run=evil'],
  ['make', ['-q'], '-q x', '-q -t x'],
  ['ssh', ['-a'], '-a h', '-a -A h'],
] as const)('A-275: %s with %j: an allow rule takes %j, and not %j', (tool, flags, takes, not) => {
  expect(decided(tool, flags, takes)).toBe('allow');
  expect(decided(tool, flags, not)).toBe('deny');
});

test('A-275: what the rule names may stand beside, and so may what needs a value', () => {
  expect(decided('git', ['-f', '--dry-run'], 'clean --dry-run -f x')).toBe('allow');
  expect(decided('kubectl', ['--dry-run'], 'apply --dry-run -f x -n y')).toBe('allow');
});

// Of a tool that only looks, or a sub-command of it, an option that runs a program or writes a file is another deed.
test.each([
  ['tar', ['-t', '--list'], '-t -f x.tar', '-t -f x.tar -I ./prog'],
  ['tar', ['-t', '--list'], '--list --file=x.tar', '--list --file=x.tar --to-command=./prog'],
  ['tar', ['-t', '--list'], '-t -f x.tar -C sub', '-t -f x.tar --checkpoint-action=exec=./prog'],
  ['find', ['-name'], '. -name x -type f', '. -name x -exec rm {} +'],
  ['find', ['-name'], '. -name x -maxdepth 2', '. -name x -fprint /etc/x'],
  ['sort', ['-u'], '-u -t , -k 2 f', '-u --compress-program=/app/x f'],
  ['sort', ['-u'], '-u f', '-u -o y f'],
  ['sed', ['-n'], '-n -e p f', '-n -f script f'],
  ['git', ['--stat'], 'diff --stat -U 3', 'diff --stat --output=/app/x'],
  ['perl', ['-V'], '-V', '-V -Ilib'],
  ['docker', ['--check'], 'build --check .', 'build --check --call=build .'],
  ['git', ['--oneline', '-s'], 'log --oneline --format=%h', 'log --oneline --format=%G?'],
  ['git', ['--oneline', '-s'], 'show -s --pretty=oneline', 'show -s --pretty=format:%GK'],
  ['tar', ['-t', '--list'], '-t -f ./a:b.tar', '-t -f localhost:x'],
  ['sed', ['-n'], '-n p f', '-n 1w/etc/x f'],
  ['sed', ['-n'], '-n -e p f', '-n -e p -e 1eid f'],
  ['tar', ['-k', '--keep-old-files'], '-x -k -f x.tar', '-x -k -f x.tar --overwrite'],
] as const)('A-283: %s with %j: an allow rule takes %j, and not %j', (tool, flags, takes, not) => {
  expect(decided(tool, flags, takes)).toBe('allow');
  expect(decided(tool, flags, not)).toBe('deny');
});

test('A-283: what the rule names beside the flag may stand there, and of what changes things any value may', () => {
  expect(decided('sort', ['-u', '-o'], '-u -o y f')).toBe('allow');
  expect(decided('kubectl', ['--dry-run'], 'apply --dry-run -f x -n a')).toBe('allow');
});

test.each(['test --script-shell=x', 'test --config.script-shell=x', '--config.pnpmfile=x test'])(
  'A-283: a setting of pnpm is one under each of its names: %s',
  (line) => {
    const parsed = parsePolicy(
      `version: 1
tools: { pnpm: { strategy: mirror } }
rules: [{ name: tests, tools: [pnpm], subcommands: [test], action: allow }]
complete: true
`,
      'p.yaml',
    );
    if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
    const of = (words: string) =>
      decide(parsed.policy, { ...facts, tool: 'pnpm', args: words.split(' ') }).action;
    expect(of(line)).toBe('deny');
    expect(of('test')).toBe('allow');
  },
);

test('A-438 P20: which flags last is found without a look at operands, however many there are', () => {
  const args = ['nice', 'log', '--oneline', ...Array<string>(32_000).fill('a=1')];
  let looks = 0;
  const counted = new Proxy(args, {
    get(target, key, receiver): unknown {
      looks += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const reading = readArguments(knownTools.get('git')!, args, 1);
  expect([...lastingFlags(reading, { args: counted, from: 1 })]).toEqual(['--oneline']);
  expect(looks).toBeLessThan(10);
});
