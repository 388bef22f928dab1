import { describe, expect, test } from 'vitest';
import { leavesOf, options } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { toolData } from '../arguments/tools/tool-data.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';
import { decidedLine } from './decided-line.fixture.ts';

const decided = (line: string, said: string, action = 'allow') => {
  const [tool = ''] = line.split(' ');
  return decidedLine(line, `name: here, tools: [${tool}], cwd: [/app], ${said}, action: ${action}`);
};
const any = 'args: ["**"]';

describe('A-432 A-502 an allow rule with cwd lets through', () => {
  test.each([
    ['git -C /app/x commit -m y', 'subcommands: [commit]'],
    ['git -C /app/x status', 'subcommands: [status], safe-arguments: true'],
    ['git --git-dir=/app/x/.git commit', any],
    ['git --work-tree /app/x commit', any],
    ['git --strange commit', any],
    ['make -C /app/x test', any],
    ['make -kC/app/x test', any],
    ['make --direc=/app/x test', any],
    ['tar -x -f a -C /app/x', any],
    ['tar xfC a /app/x', any],
    ['tar -x -f a --directory=/app/x', 'flags: [-x]'],
    ['go -C /app/x build', any],
    ['go build -C /app/x', 'subcommands: [build]'],
    ['go mod tidy -C /app/x', 'subcommands: [mod]'],
    ['go env -C /app/x -w A=b', any],
    ['npm --prefix /app/x test', any],
    ['npm test -C /app/x', 'subcommands: [test]'],
    ['npm test --prefi /app/x', any],
    ['pnpm --dir=/app/x test', any],
    ['yarn --cwd /app/x test', any],
    ['terraform -chdir=/app/x plan', any],
    ['terraform --chdir=/app/x plan', any],
    ['cargo build --manifest-path /app/x/Cargo.toml', 'subcommands: [build]'],
    ['cargo -C /app/x build', any],
    ['docker compose --project-directory /app/x up', any],
    ['docker --config /x compose --project-directory /app/x up', any],
    ['npm test -w x', 'subcommands: [test]'],
    ['npm run build --workspace=x', any],
    ['npm test --ws', any],
    ['npm test --include-workspace-root', any],
    ['npm -g install x', any],
    ['npm install --location=global x', 'subcommands: [install]'],
    ['npm link', 'subcommands: [link]'],
    ['pnpm -w test', any],
    ['pnpm --workspace-root add x', 'subcommands: [add]'],
    ['pnpm -r test', 'subcommands: [test]'],
    ['pnpm -rw test', any],
    ['pnpm --filter x test', any],
    ['pnpm --filter-prod=x test', any],
    ['pnpm -F x test', any],
    ['pnpm add -g x', any],
    ['pnpm recursive test', any],
    ['yarn workspace w test', 'args: [workspace, "**"]'],
    ['yarn workspaces run test', any],
    ['yarn global add x', any],
    ['cargo install --path /app/x', 'subcommands: [install]'],
    ['cargo test -p x', any],
    ['cargo test -px', any],
    ['cargo add y --package=x', any],
    ['cargo build --workspace', 'subcommands: [build]'],
    ['cargo check --all', any],
    ['gh pr merge 5 -R a/b', 'subcommands: [pr]'],
    ['gh pr merge 5 --repo=a/b', any],
    ['ruby -C /app/x a.rb', any],
    ['ruby -C/app/x a.rb', any],
    ['ruby -x/app/x a.rb', any],
    ['perl -x/app/x a.pl', any],
    ['tar -x -f a --one-top-level=/app/x', any],
    ['terraform import -config=/app/x a b', any],
  ])('not %s, by %s', (line, said) => {
    expect(decided(line, said)).toBe('deny');
    // It is the cwd that narrows it.
    const [tool = ''] = line.split(' ');
    expect(decidedLine(line, `name: all, tools: [${tool}], args: ["**"], action: allow`)).toBe('allow');
  });

  test.each([
    ['git commit -C HEAD', 'subcommands: [commit]'],
    ['git log --strange', 'args: [log, "**"]'],
    ['make test', any],
    ['tar -x -f a', any],
    ['npm test', any],
    ['npm test', 'subcommands: [test]'],
    ['npm install x', any],
    ['npm test -w x', 'args: [test, -w, x, "**"]'],
    ['npm install -g x', 'flags: [-g]'],
    ['npm link x', 'args: [link, x]'],
    ['pnpm --filter x test', 'args: [--filter, x, test, "**"]'],
    ['pnpm --silent test', any],
    ['yarn add x', any],
    ['cargo test --all-features', any],
    ['cargo install --root /app/x y', any],
    ['cargo uninstall -p x', any],
    ['gh pr merge 5 --squash', any],
    ['ruby -w a.rb', any],
    ['git -C docs commit -m y', 'args: [-C, docs, commit, "**"]'],
    ['git -C docs --strange commit', 'args: [-C, docs, --strange, commit]'],
    ['terraform -chdir=infra plan -no-color', 'args: ["-chdir=infra", plan, "**"]'],
    ['tar -x -f a -C out', 'flags: [-x, -C]'],
    // A sub-command of which nothing is told is not the one that is meant.
    ['pip --python /app/.venv/bin/python install -r r.txt', any],
    ['docker --config /app/.docker build .', any],
    // What is known of no tool narrows nothing.
    ['other -C /app/x', any],
  ])('%s, by %s', (line, said) => {
    expect(decided(line, said)).toBe('allow');
  });
});

describe('A-463 an option of a directory is one behind each sub-command, whichever the data says it of', () => {
  const tools = knownTools.entries().flatMap(([tool, { directories: names = [], subcommands }]) => {
    const leaves = leavesOf(subcommands);
    return names.length === 0 || leaves.length === 0 ? [] : [{ tool, leaves, names }];
  });

  test.each(tools)('of $tool', ({ tool, leaves, names }) => {
    const rule = `name: here, tools: [${tool}], cwd: [/app], args: ["**"], action: allow`;
    const parsed = parsePolicy(
      `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n  - { ${rule} }\ncomplete: true\n`,
      'p.yaml',
    );
    if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
    const actionOf = (args: readonly string[]) =>
      decide(parsed.policy, { agent: 'a', uid: 1000, gid: 1000, cwd: '/app', tool, args }).action;
    const lines = leaves.flatMap(({ spellings: [words = []], options: own }) =>
      names
        // `git commit -C` is another option.
        .filter((name) => own.get(name)?.isDirectory ?? !own.has(name))
        .flatMap((name) => [
          [...words, name, '/app/x'],
          [...words, '--strange', `${name}=/app/x`],
        ]),
    );
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => actionOf(line) !== 'deny')).toEqual([]);
  });
});

test('A-432 a person who is asked sees the whole line', () => {
  expect(decided('git -C /app/x commit', 'subcommands: [commit]', 'ask')).toBe('ask');
});

test('A-432 A-502 data says so of any option', () => {
  expect(options('', '-C,--dir=/').get('--dir')).toEqual({
    ...{ names: ['-C', '--dir'], value: 'required', harmless: false, isDirectory: true },
  });
  const isRead = (risky: string) => toolData.safeParse({ source: 'x', style: 'gnu', risky }).success;
  const [bare, undone] = [options('', '-g,--global/+').get('-g'), options('--x?/').get('--x')];
  expect(bare).toEqual({ names: ['-g', '--global'], value: 'none', harmless: false, isDirectory: true });
  expect([undone?.value, undone?.isDirectory]).toEqual(['optional', true]);
  expect(options('', '-g,--global/+').has('--no-global')).toBe(true);
  expect(['-C=/', '-p?/', '-g,--global/', '-g/+'].map(isRead)).toEqual([true, true, true, true]);
  expect(['-C=/x', '-C=/{x}', '-C/,-D', '-C//'].map(isRead)).toEqual([false, false, false, false]);
});
