import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';

function actionOf(denied: string, line: string): string {
  const [tool = '', ...args] = line.split(' ');
  const text = `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: no, tools: [${tool}], ${denied}, action: deny }
complete: true
`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/app' }).action;
}

/** Each shows the rule, `|` and the line. */
const pairs = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' | '));

const programs = pairs(`
  [push] | git remote-ext o git
  [push] | git merge-index ./evil -a
  [push] | git merge-index -o evil -a
  [push] | git bisect visualize gitx/evil
  [push] | git bisect view gitx/evil
  [push] | git clone --template=tpl r c
  [push] | git init --template tpl
  [push] | git cherry-pick --strategy=x/evil o
  [push] | git rebase -s x/evil o
  [push] | git fetch-pack --upload-pack=./evil .
  [install] | pip --python=./evil list
  [install] | pip --python ./evil list
  [install] | pip config edit --editor=./evil
  [delete] | kubectl kustomize --enable-helm --helm-command=./evil .
  [delete] | kubectl kustomize --enable-helm .
  [delete] | kubectl --kubeconfig=./kc get pods
  [delete] | kubectl get pods --kubeconfig ./kc
  [delete] | kubectl get pods -n -x --kubeconfig=./kc
  [rm] | docker --config ./dk info
  [rm] | docker --config=./dk --help
  [publish] | npm config edit --editor=./evil
  [publish] | npm view x --strange --script-shell=./evil
  [publish] | pnpm list --pnpmfile=./evil.cjs
  [api] | gh repo clone x -- -u ./evil
  [api] | gh codespace ssh -- -oProxyCommand=./evil
  [run] | go vet -vettool=./evil
  [run] | go list -toolexec=./evil
  [apply] | terraform init -plugin-dir=./evil
`);

test.each(programs)('A-211 P7 a deny of %s holds for what may run it: %s', (denied = '', line = '') =>
  expect(actionOf(`subcommands: ${denied}`, line)).toBe('deny'),
);

const meanings = pairs(`
  args: [push, --force, "**"] | git send-pack . +x
  args: [push, --force, "**"] | git send-pack --mirror .
  args: [push, --delete, "**"] | git send-pack . :x
  flags: [--force] | git send-pack . +x
  args: [branch, "**"] | git push self HEAD:refs/heads/x
  args: [tag, "**"] | git send-pack self HEAD:refs/tags/x
  args: [branch, "**"] | git push --repo=self HEAD:refs/heads/x
  args: [branch, -f, "**"] | git fetch . +main:y
  args: [branch, --force, "**"] | git pull . +main:y
  args: [branch, -f, "**"] | git checkout -B y
  args: [branch, --force, "**"] | git switch -C y
  args: [branch, -f, "**"] | git worktree add -B y ../x
  args: [reset, "**"] | git checkout -B main X
  args: [reset, "**"] | git switch -C main X
  args: [checkout, -f, "**"] | git switch --discard-changes x
  args: [checkout, --force, "**"] | git switch --discard-changes x
  args: [branch, -D, "**"] | git push . :y
  args: [branch, -D, "**"] | git update-ref -d refs/heads/x
  args: [branch, -f, "**"] | git update-ref refs/heads/x y
  args: [rm, "**"] | git update-index --force-remove x
  args: [tag, --sign, "**"] | git tag -u k x
  args: [stash, --include-untracked, "**"] | git stash -a
  args: [stash, drop, "**"] | git stash clear
  args: [config, core.fsmonitor, "**"] | git config --rename-section a core
  args: [config, core.fsmonitor, "**"] | git config --remove-section core
  args: [config, core.fsmonitor, "**"] | git config set core.fsmonitor x
  args: [config, core.fsmonitor, "**"] | git config unset CORE.fsmonitor
  args: [config, core.fsmonitor, "**"] | git config rename-section a core
  args: [config, core.fsmonitor, "**"] | git config edit
  args: [config, core.fsmonitor, "**"] | git config -e
  args: [install, --loglevel, "**"] | npm install -d
  args: [install, --loglevel, silent, "**"] | npm install -s
  args: [install, "--loglevel=warn", "**"] | npm install -q
  args: [install, "--omit=dev", "**"] | npm install --production
  args: [install, --omit, dev] | npm install --production
  flags: [--omit] | npm install --only=prod
  flags: [--usage] | npm install -H
  flags: [--usage] | npm install -help
`);

test.each(meanings)('A-212 P7 a deny by %s holds for %s', (denied = '', line = '') =>
  expect(actionOf(denied, line)).toBe('deny'),
);

const others = pairs(`
  subcommands: [push] | git merge -s ort x
  subcommands: [push] | git rebase -s ours x
  subcommands: [push] | git bisect start
  subcommands: [push] | git clone r c
  subcommands: [push] | git commit -t file
  subcommands: [branch] | git push origin main
  subcommands: [push] | git log --strange
  subcommands: [delete] | kubectl get pods --strange
  subcommands: [rm] | docker service create --config a x
  subcommands: [publish] | npm view x --strange
  subcommands: [publish] | npm install -q
  subcommands: [install] | pip list --strange
  subcommands: [api] | gh repo clone x
  subcommands: [run] | go build ./...
  args: [config, core.fsmonitor, "**"] | git config set user.name x
  args: [branch, -D, "**"] | git push origin main
  args: [install, --omit, dev] | npm install -q x
  args: [checkout, -f, "**"] | git switch x
`);

describe('A-34 and no rule holds back what is about something else', () => {
  test.each(others)('a deny by %s, %s', (denied = '', line = '') =>
    expect(actionOf(denied, line)).toBe('allow'),
  );
});
