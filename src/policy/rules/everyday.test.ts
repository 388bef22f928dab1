import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../package-root.ts';
import { loadPolicy } from '../file/parse-policy.ts';
import { checkPolicy } from '../review/check-policy.ts';
import { decide } from './decide.ts';

const policy = loadPolicy(join(packageRoot(), 'policy.yaml'));

const actionOf = (line: string | readonly string[]) => {
  const [tool = '', ...args] = typeof line === 'string' ? line.split(' ') : line;
  return decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
};

const everyday: readonly (string | readonly string[])[] = [
  ...[
    'ls',
    'ls -la',
    'ls -lh --color=auto src',
    'ls -1 *.ts',
    'cat a.txt',
    'cat -n src/a.ts',
    'pwd',
    'head -20 a.log',
  ],
  ...[
    'head -n 5 a b',
    'tail -100 a.log',
    'tail -n +2 a.csv',
    'wc -l a',
    'wc -c -- -x',
    'ls -- -x',
    'cat -- --help',
  ],
  ...[
    'git status',
    'git status -s',
    'git status --short --branch',
    'git status --porcelain=v2',
    'git status -uno',
    'git status -- src',
  ],
  ...[
    'git log',
    'git log --oneline',
    'git log -5',
    'git log -n 5 --oneline --graph --all',
    'git log --format=%H',
    'git log --pretty=format:%h%x09%an',
  ],
  ['git', 'log', '--pretty=format:%h %an %ad %s', '--date=short'],
  ['git', 'log', '--since=2 weeks ago', '--author=Ann', '--grep=fix|bug', '-i'],
  ['git', 'log', '--format=%C(auto)%h%d %s %C(green)%cr', '-p', '--', 'src/a.ts'],
  ...[
    'git log -p -S needle',
    'git log -Gneedle --stat',
    'git log -L1,5:src/a.ts',
    'git log main..feature',
    'git log --follow -- a.ts',
  ],
  ...[
    'git log --name-only --no-merges',
    'git log --stat=80,40 -3',
    'git log --abbrev-commit --decorate=short',
    'git log -- -c',
  ],
  ...[
    'git --no-pager log -3',
    'git -C src log -1',
    'git -C /app/x status',
    'git log -1 --format=%cd --date=format:%Y',
    'git log -- --output=x',
  ],
  ...[
    'git diff',
    'git diff --cached',
    'git diff --staged --stat',
    'git diff HEAD~1',
    'git diff HEAD~1 HEAD -- a.ts',
    'git diff --name-only main...',
  ],
  ...[
    'git diff -w --word-diff',
    'git diff -U10',
    'git diff --check',
    'git diff --color=always',
    'git diff @{u}',
    'git diff -M50% --find-renames',
  ],
  ...[
    'git show',
    'git show HEAD',
    'git show HEAD:src/a.ts',
    'git show --stat HEAD~2',
    'git show -s --format=%B',
    'git blame a.ts',
    'git blame -L 1,20 a.ts',
  ],
  ...[
    'git branch',
    'git branch -a',
    'git branch -vv',
    'git branch --show-current',
    'git branch --list feature/*',
    'git tag',
    'git tag -l v1.*',
  ],
  ...[
    'git describe --tags --always --dirty',
    'git shortlog -sn',
    'git reflog',
    'git rev-parse HEAD',
    'git rev-parse --abbrev-ref HEAD',
    'git rev-parse --show-toplevel',
  ],
  ...[
    'git ls-files',
    'git ls-files --others --exclude-standard',
    'git grep -n needle',
    'git grep -nE a|b -- *.ts',
    'git cat-file -p HEAD',
    'git cat-file -t HEAD',
  ],
  ...[
    'git add .',
    'git add -A',
    'git add src/a.ts src/b.ts',
    'git add -u',
    'git add -- -x',
    'git commit -m fix',
    'git commit -am fix',
    'git commit --amend --no-edit',
  ],
  ['git', 'commit', '-m', 'a: b; c && $(d) `e`'],
  ...[
    'npm test',
    'npm t',
    'npm run build',
    'npm run build -- --watch=false',
    'npm run lint --silent',
    'npm run-script test',
    'npm test -- -t name',
    'npm test -- -g',
  ],
  ...[
    'npm run',
    'npm ls',
    'npm ls --depth=0',
    'npm ls react --all',
    'npm ls --json',
    'npm run test --workspace=a',
    'npm run test -w a',
    'npm explain react',
  ],
  ...[
    'npm --silent test',
    'npm run build --if-present',
    'npm run test:unit',
    'npm run build -- --script-shell=x',
  ],
  ...[
    'tar -czf out.tgz src',
    'tar czf out.tgz src',
    'tar -xzf a.tgz',
    'tar xvf a.tar -C /app/x',
    'tar -tf a.tar',
    'tar tvzf a.tgz',
    'tar -cf a.tar -- -x',
  ],
  ...[
    'tar -cf a.tar --exclude=node_modules .',
    'tar -xf a.tar --strip-components=1',
    'tar -xf a.tar --wildcards *.ts',
    'tar -cJf a.txz b',
    'tar --create --file=a.tar b',
  ],
  ...[
    'tar xf a.tar -- --to-command=x',
    'tar -xOf a.tar file',
    'find .',
    'find . -name *.ts',
    'find src -type f',
    'find . -maxdepth 2 -type d',
  ],
  ['find', '.', '-name', 'node_modules', '-prune', '-o', '-name', '*.ts', '-print'],
  ['find', '.', '(', '-iname', '*.md', '-o', '-iname', '*.txt', ')', '-size', '+1k'],
  ['find', '.', '-type', 'f', '-printf', '%s %p\n'],
  ...[
    'find . -mtime -1',
    'find . -newer a.ts',
    'find . ! -path ./x/* -empty',
    'find . -type f -print0',
    'find . -name -delete',
  ],
  ...[
    'grep needle a.ts',
    'grep -rn needle src',
    'grep -rnw --include=*.ts needle .',
    'grep -E a|b a',
    'grep -c x a',
    'grep -oP \\d+ a',
    'grep -A3 -B3 x a',
  ],
  ...[
    'grep -v ^# a',
    'grep -e a -e b f',
    'grep -- -x a',
    'grep -il x a b',
    'grep -5 x a',
    'sort a',
    'sort -n a',
    'sort -rn -k2 a',
    'sort -t, -k1,1 -u a',
    'sort -h a',
  ],
  ['sed', '-n', '1,20p', 'a.ts'],
  ['sed', '-n', '/start/,/end/p', 'a.ts'],
  ['sed', 's/foo/bar/g', 'a.ts'],
  ['sed', '-E', 's/([a-z]+)=(.*)/\\2/', 'a'],
  ['sed', '/^#/d', 'a'],
  ['sed', '-e', 's/a/b/', '-e', 's|/x|/y|', 'a'],
  ['sed', '$d', 'a'],
  ['sed', '-n', '1p;5,7p;$p', 'a'],
  ['sed', 's/a/b/g; s/c/d/', 'a'],
  ['sed', ':a;N;$!ba;s/\\n/ /g', 'a'],
  ['sed', '-n', '/start/,/end/{/x/d;p}', 'a'],
  ['sed', '-n', '/start/I,+3p', 'a'],
  ['sed', 'y/abc/xyz/;2q', 'a'],
  ...['npm --version', 'npm -v', 'npm outdated', 'npm outdated --json', 'npm view react'],
  ...['npm view react versions --json', 'npm info react', 'npm search yaml', 'npm start', 'npm root'],
  ...['git --version', 'git version', 'git rev-list --count HEAD'],
  ...[
    'git ls-tree -r HEAD',
    'sed --version',
    'tar --version',
    'grep --version',
    'find . -version',
    'sort --version',
  ],
];

test('A-34 there are enough of them', () => expect(everyday.length).toBeGreaterThan(150));

test.each(everyday.map((line) => [typeof line === 'string' ? line : line.join(' '), line] as const))(
  'A-34 every day: %s',
  (_, line) => expect(actionOf(line)).toBe('allow'),
);

test.each([
  ...[
    'git push',
    'git -C /app push origin main',
    'npm install -g x',
    'npm i x --global',
    'npm publish',
    'find . -delete',
    'sort -o a a',
  ],
  ...[
    'sed -i s/a/b/ a',
    'tar -xf a --to-command=/app/c',
    'git log --output=x',
    'npm test --script-shell=/app/x',
    'node x.js',
    'sed 1e a',
    'sed s/a/b/;1e a',
    'sed {s/a/b/w x',
    'git remote add x y',
    'git stash',
    'git stash -v',
    'git worktree add x',
    'npm --version --script-shell=x',
    'npm -v publish',
    'npm view react --registry=http://x',
    'npm outdated -g',
    'npm view x -- --experimental-default-config-file',
    'npm ping --experimental-config-file=y.json',
  ],
])('%s is not', (line) => expect(actionOf(line)).not.toBe('allow'));

test.each(['npm install x', 'npm i', 'npm ci', 'npm add x', 'git rebase main', 'git -c core.pager=cat log'])(
  '%s is asked',
  (line) => expect(actionOf(line)).toBe('ask'),
);

test('the example has no errors, and one warning that cannot be mended', () => {
  const { errors, warnings } = checkPolicy(policy);
  expect(errors).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('npm can reach a network')]);
});
