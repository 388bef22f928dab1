import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action } from '../policy.ts';
import { decide } from './decide.ts';

/** What becomes of a line where all of its tool is allowed, but for one rule. */
function actionOf(tool: string, about: string, action: Action, args: readonly string[]): Action {
  const rules = `  - { name: all, tools: [${tool}], action: allow }\n  - { name: one, tools: [${tool}], ${about}, action: ${action} }`;
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n${rules}\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

/** A deny by the sub-command's name, and an ask by its words. */
function rulesAbout(name: string): readonly (readonly [string, Action])[] {
  const words = name.split(' ');
  const quoted = words.map((word) => `"${word}"`).join(', ');
  return [
    [`subcommands: ["${words[0]}"]`, 'deny'],
    [`args: [${quoted}, "**"]`, 'ask'],
  ];
}

describe('A-77 P7: lines that do the work of another sub-command', () => {
  test.each([
    ['destroy', 'terraform apply -destroy'],
    ['destroy', 'terraform apply -auto-approve --destroy=true'],
    ['destroy', 'terraform plan -out=p -destroy'],
    ['push', 'docker build --push .'],
    ['push', 'docker build . -o type=image,name=x,push=true'],
    ['push', 'docker image build --output=type=registry .'],
    ['push', 'docker buildx build -o type=registry .'],
    ['push', 'docker build --cache-to x/y .'],
    ['push', 'docker build --strange .'],
    ['test', 'npm run test'],
    ['test', 'npm --silent urn -s -- test --watch'],
    ['stop', 'npm run-script restart'],
    ['run', 'npm test'],
    ['install', 'yarn'],
    ['install', 'yarn --frozen-lockfile'],
    ['publish', 'yarn workspace x publish'],
    ['config', 'git -c core.pager=x log'],
    ['config', 'git --config-env=core.pager=X log'],
    ['add', 'git commit -qam x'],
    ['add', 'git commit -m x -- a.ts'],
    ['branch', 'git checkout -qb x'],
    ['branch', 'git worktree add ../x'],
    ['delete', 'kubectl apply --prune -f x'],
    ['delete', 'kubectl replace --force -f x'],
    ['config', 'kubectl get pods --context x'],
    ['uninstall', 'pip install -qU x'],
    ['bench', 'cargo test --all-targets'],
    ['get', 'go run example.com/x@latest'],
    ['pr', 'gh api -XPUT repos/x/y/pulls/1/merge'],
    ['secret', 'gh api repos/x/y/actions/secrets'],
    ['issue comment', 'gh issue close 1 -c x'],
    ['test', 'pnpm run test'],
    ['push', 'docker trust sign x'],
    ['trust sign', 'docker push --disable-content-trust=false x'],
    ['volume rm', 'docker container rm -fv x'],
    ['volume create', 'docker run -v /x:/y x'],
    ['volume create', 'docker run --mount type=volume,dst=/y x'],
    ['plugin disable', 'docker plugin rm -f x'],
    ['pull', 'docker plugin upgrade x'],
    ['config inspect', 'docker inspect x'],
    ['inspect', 'docker secret inspect x'],
    ['buildx build', 'docker build .'],
    ['tag', 'docker build -qt x .'],
    ['context use', 'docker -H tcp://x ps'],
    ['stop', 'docker checkpoint create x y'],
    ['run', 'docker service update --image x y'],
    ['manifest rm', 'docker manifest push -p x'],
    ['edit', 'kubectl apply edit-last-applied deploy/x'],
    ['annotate', 'kubectl apply set-last-applied -f x'],
    ['get', 'kubectl apply view-last-applied secret/x'],
    ['get', 'kubectl label secret x a=b -oyaml'],
    ['get', 'kubectl describe secrets'],
    ['get', 'kubectl annotate secret s --list'],
    ['get', 'kubectl label pods x --list=true'],
    ['get', 'kubectl set env deploy/x --list --resolve'],
    ['get', 'kubectl auth reconcile -f x -oyaml'],
    ['apply', 'git add -p'],
    ['apply', 'git commit --interactive'],
    ['apply', 'git checkout -p HEAD x'],
    ['restore', 'git reset x'],
    ['show', 'terraform state pull'],
    ['destroy', 'terraform apply -replace=x'],
    ['delete', 'kubectl run x --image y --rm'],
    ['patch', 'kubectl scale deploy x --replicas 0'],
    ['scale', 'kubectl patch deploy x -p y'],
    ['run', 'kubectl create deploy x --image y'],
    ['expose', 'kubectl create svc nodeport x'],
    ['config set', 'kubectl --server x get pods'],
    ['exec', 'kubectl proxy'],
    ['update', 'cargo generate-lockfile'],
    ['fetch', 'cargo add x'],
    ['generate-lockfile', 'cargo build'],
    ['rustc', 'cargo install x'],
    ['build', 'cargo publish'],
    ['uninstall', 'cargo install x'],
    ['state show', 'terraform show'],
    ['state push', 'terraform state rm x'],
    ['force-unlock', 'terraform apply -lock=false'],
    ['plan', 'terraform console -plan'],
    ['workspace new', 'terraform env new x'],
    ['workspace new', 'terraform workspace select -or-create x'],
    ['providers lock', 'terraform init'],
    ['dist-tag', 'npm publish'],
    ['set', 'npm config set x y'],
    ['install', 'npm cache add x'],
    ['rebuild', 'pnpm approve-builds'],
    ['fetch', 'pnpm store add x'],
    ['config', 'git remote set-url origin x'],
    ['config', 'git branch -uo/x y'],
    ['config', 'git push -qu origin x'],
    ['config', 'git sparse-checkout set x'],
    ['config', 'git maintenance start'],
    ['branch', 'git fetch . a:b'],
    ['tag', 'git pull --tags . a:refs/tags/b'],
    ['branch', 'git push ../x a:b'],
    ['branch', 'git switch x'],
    ['branch', 'git switch -- x'],
    ['config', 'git svn init x'],
    ['output', 'terraform apply -auto-approve'],
    ['output', 'terraform plan'],
    ['auth token', 'gh config get -h github.com oauth_token'],
    ['run', 'go tool example.com/x'],
    ['test', 'go tool test2json ./x'],
    ['vet', 'go tool dist test'],
  ])('a deny of %s is not evaded by %s', (denied, line) => {
    const [tool = '', ...args] = line.split(' ');
    for (const [about, action] of rulesAbout(denied))
      expect(actionOf(tool, about, action, args)).toBe(action);
  });

  test.each([
    ['args: [run, test, "**"]', 'npm test'],
    ['args: [run, test, "**"]', 'npm tst -- --watch'],
    ['args: [run-script, start, "**"]', 'npm start'],
    ['args: [run, --silent, test]', 'npm run --silent test'],
    ['args: [get, secrets, "**"]', 'kubectl apply view-last-applied secret x'],
    ['args: [get, secrets, x]', 'kubectl apply view-last-applied secret/x -o yaml'],
    ['args: [get, secret, "**"]', 'kubectl apply edit-last-applied secrets x'],
    ['args: [get, secrets, "**"]', 'kubectl set env deploy/x --list --resolve'],
    ['args: [get, secret, x]', 'kubectl set env --all --list --resolve deploy'],
    ['args: [get, secrets, "**"]', 'kubectl proxy'],
    ['args: [delete, ns, prod]', 'kubectl proxy --port 1'],
    ['args: [delete, pods, "**"]', 'kubectl drain node-1 --force'],
    ['args: [delete, po, web]', 'kubectl drain node-1'],
    ['args: [delete, pod, "**"]', 'kubectl debug x --copy-to=y --replace'],
    ['args: [get, pods, "**"]', 'kubectl cluster-info dump'],
    ['args: [get, secrets, "**"]', 'kubectl wait secret/x --for=jsonpath={.data.k}=v'],
    ['subcommands: [tag]', 'git fetch --prune --prune-tags origin'],
    ['args: [tag, -d, "**"]', 'git fetch -pP origin'],
    ['subcommands: [branch]', 'git reflog delete --updateref topic@{0}'],
    ['subcommands: [config]', 'git --git-dir=.git init --bare'],
    ['subcommands: [config]', 'git checkout --recurse-submodules x'],
    ['subcommands: [config]', 'git mv sm sm2'],
    ['args: [run, start, "**"]', 'npm run restart'],
    ['args: [run, stop, "**"]', 'npm rum restart'],
    ['args: [run, prepublishOnly, "**"]', 'npm publish'],
    ['args: [run, posttest, "**"]', 'npm test'],
    ['args: [run, postinstall, "**"]', 'npm ci'],
    ['args: [run, version, "**"]', 'npm version patch'],
    ['args: [dist-tag, add, "**"]', 'npm publish --tag x'],
    ['args: [access, set, "**"]', 'npm publish --access public'],
    ['args: [release, delete-asset, "**"]', 'gh release upload v1 x --clobber'],
    ['subcommands: [get]', 'go mod download x@v1'],
    ['subcommands: [get]', 'go mod edit -require=x@v1'],
    ['args: [test, --watch]', 'npm run test --watch'],
    ['args: [run, stop]', 'npm restart'],
    ['args: [volume, rm, "**"]', 'docker volume prune -f'],
    ['args: [volume, remove, "**"]', 'docker system prune --volumes'],
    ['args: [install]', 'yarn'],
    ['args: [pr, merge, "**"]', 'gh api --method=PUT repos/x/y/pulls/1/merge'],
    ['subcommands: [context]', 'docker --context x ps'],
  ])('a deny by %s is not evaded by %s', (about, line) => {
    const [tool = '', ...args] = line.split(' ');
    expect(actionOf(tool, about, 'deny', args)).toBe('deny');
  });

  test('more operands than are read may be about it', () => {
    const many = ['fetch', ...Array<string>(1001).fill('x')];
    expect(actionOf('git', 'subcommands: [branch]', 'deny', many)).toBe('deny');
    expect(actionOf('git', 'subcommands: [branch]', 'deny', many.slice(0, 1000))).toBe('allow');
  });

  test.each([
    ['subcommands: [destroy]', 'terraform apply'],
    ['subcommands: [push]', 'docker build -o out --pull .'],
    ['subcommands: [push]', 'docker pull x'],
    ['subcommands: [test]', 'npm run build test'],
    ['args: [run, test]', 'npm start'],
    ['args: [test]', 'npm run test x'],
    ['subcommands: [install]', 'npm audit'],
    ['subcommands: [install]', 'yarn --version'],
    ['subcommands: [install]', 'npm'],
    ['subcommands: [config]', 'git switch -c x'],
    ['subcommands: [config]', 'git log -c'],
    ['subcommands: [add]', 'git commit -m x'],
    ['subcommands: [delete]', 'kubectl apply -f x'],
    ['subcommands: [delete]', 'kubectl replace -f x'],
    ['subcommands: [get]', 'go run ./x y@z'],
    ['args: [pr, merge, "**"]', 'gh api repos/x/y/pulls'],
    ['args: [volume, rm, "**"]', 'docker rm x'],
    ['subcommands: [push]', 'docker trust inspect x'],
    ['subcommands: [volume]', 'docker run x -v y'],
    ['subcommands: [get]', 'kubectl label pods x a=b'],
    ['subcommands: [scale]', 'kubectl apply -f x'],
    ['subcommands: [config]', 'kubectl -n x get pods'],
    ['subcommands: [install]', 'npm ci'],
    ['subcommands: [build]', 'cargo generate-lockfile'],
    ['subcommands: [force-unlock]', 'terraform apply -lock=true'],
    ['subcommands: [state]', 'terraform output'],
    ['subcommands: [config]', 'git remote -v'],
    ['subcommands: [config]', 'git checkout -b x'],
    ['subcommands: [config]', 'git push origin x'],
    ['subcommands: [config]', 'git clone https://host/x'],
    ['subcommands: [branch]', 'git fetch git@host:x main'],
    ['subcommands: [branch]', 'git push origin a:b'],
    ['subcommands: [branch]', 'git checkout -- x'],
    ['subcommands: [tag]', 'git fetch --tags origin'],
    ['subcommands: [output]', 'terraform validate'],
    ['subcommands: [auth]', 'gh config get editor'],
    ['subcommands: [run]', 'go tool'],
  ])('and one by %s leaves %s alone', (about, line) => {
    const [tool = '', ...args] = line.split(' ');
    expect(actionOf(tool, about, 'deny', args)).toBe('allow');
  });
});
