import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 40;

/** Everything of the tool is allowed, but for what the one rule is about. */
function actionsOf(tool: string, rule: string) {
  const result = parsePolicy(
    `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: strict, tools: [${tool}], ${rule}, action: deny }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const { policy } = result;
  return (args: readonly string[]) =>
    decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

function expectAll(tool: string, rule: string, lines: readonly string[], action: string): void {
  const actionOf = actionsOf(tool, rule);
  expect(lines.map((line) => [line, actionOf(line.split(' '))])).toEqual(lines.map((line) => [line, action]));
}

describe('A-282 P7: a sub-resource of kubectl is a look only at status, scale and resize', () => {
  const lines = [
    'get services x',
    'get pods x -o json',
    'get nodes n',
    'patch pods x -p {}',
    'edit pods x',
  ].flatMap((line) =>
    ['proxy', 'log', 'exec', 'attach', 'portforward', '', 'x/../proxy'].flatMap((value) => [
      `${line} --subresource=${value}`,
      `--subresource ${value} ${line}`.replace('  ', ' '),
    ]),
  );

  test.each(['proxy', 'logs', 'exec', 'attach', 'port-forward'])(
    'others are denied by a rule about %s',
    (name) => {
      expectAll('kubectl', `subcommands: [${name}]`, lines, 'deny');
      const plain = ['status', 'scale', 'resize'].map((value) => `get deployments x --subresource=${value}`);
      expectAll('kubectl', `subcommands: [${name}]`, ['get pods -n a', ...plain], 'allow');
    },
  );

  test('others are allowed by no rule that asks for safe arguments', () => {
    const parsed = parsePolicy(
      `version: 1
tools: { kubectl: { strategy: mirror } }
rules: [{ name: look, tools: [kubectl], subcommands: [get], safe-arguments: true, action: allow }]
complete: true
`,
      'p.yaml',
    );
    if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
    const actionOf = (line: string) =>
      decide(parsed.policy, {
        ...{ agent: 'coder', tool: 'kubectl', uid: 1000, gid: 1000, cwd: '/app' },
        args: line.split(' '),
      }).action;
    expect(actionOf('get pods x --subresource=status')).toBe('allow');
    for (const line of lines) expect([line, actionOf(line)]).toEqual([line, 'deny']);
  });
});

describe('A-162 P7: kubectl shows what the cluster answers', () => {
  const actionOf = actionsOf('kubectl', 'args: [get, secrets, "**"]');
  const line = fc.constantFrom(
    ...[
      ['label', 'secret', 'x', 'a=b'],
      ['patch', 'secret/x', '-p', '{}'],
      ['annotate', 'secrets', 'x', 'a=b', '--dry-run=server'],
      ['rollout', 'status', 'deploy/x'],
      ['delete', 'secret', 'x', '--dry-run=server'],
      ['scale', '--replicas=2', 'deploy/x'],
      ['expose', 'deploy', 'x'],
    ],
  );
  const loud = fc.constantFrom('8', '9', '10', '08', '0x8', '+9', '11', '1_0', '8.0', '1e1', '%8');
  const option = fc.oneof(
    loud.chain((level) =>
      fc.constantFrom([`-v=${level}`], [`--v=${level}`], ['-v', level], ['--v', level], [`-v${level}`]),
    ),
    fc.constantFrom(['--vmodule=*=9'], ['--vmodule', 'round_trippers=8']),
  );

  test('if it is as loud as that, wherever that is said', () => {
    fc.assert(
      fc.property(line, option, fc.boolean(), (words, said, isFirst) => {
        expect(actionOf(isFirst ? [...said, ...words] : [...words, ...said])).toBe('deny');
      }),
      { numRuns },
    );
  });

  test('A-34 and not below', () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 0, max: 7 }), (words, level) => {
        expect(actionOf([...words, `-v=${level}`])).toBe('allow');
      }),
      { numRuns },
    );
  });
});

describe('A-163 P7: more lines that do the work of another', () => {
  test.each([
    ['npm', 'flags: ["-g"]', 'link|link x|ln x|link --silent'],
    ['npm', 'flags: ["--global"]', 'link|ln x'],
    ['npm', 'flags: ["--location"]', 'link|ln x'],
    [
      'git',
      'subcommands: [config]',
      'rm sub|submodule absorbgitdirs|submodule update|pull --recurse-submodules',
    ],
    ['git', 'args: [stash, drop, "**"]', 'stash pop|stash pop --index|stash branch x'],
    ['git', 'args: [reflog, expire, "**"]', 'gc|gc --auto|maintenance run'],
    ['git', 'args: [worktree, prune, "**"]', 'gc'],
    ['git', 'flags: [--force]', 'push origin +main|push --mirror|push -- x +a:b'],
    ['git', 'args: [push, --delete, "**"]', 'push origin :x|push origin +:x|push --mirror|push --prune'],
    ['git', 'args: [branch, -D, "**"]', 'branch -d -f x|branch -f --delete x'],
    ['terraform', 'args: [apply, -destroy, "**"]', 'destroy'],
    ['go', 'subcommands: [get]', 'build -mod=mod|list --mod=mod ./...|work sync|mod download|mod download x'],
  ])('%s: a deny of %s holds for each of %s', (tool, rule, lines) => {
    expectAll(tool, rule, lines.split('|'), 'deny');
  });

  test.each([
    ['npm', 'subcommands: [install]', 'view x|ls|test'],
    ['npm', 'flags: ["-g"]', 'install x|ci'],
    ['git', 'args: [stash, drop, "**"]', 'stash apply|stash push|stash list'],
    ['git', 'args: [reflog, expire, "**"]', 'reflog show|log|commit -m x'],
    ['git', 'flags: [--force]', 'push origin main|push origin a:b+'],
    ['go', 'subcommands: [get]', 'build ./...|vet -mod=vendor|version'],
  ])('A-34 %s: a deny of %s holds for none of %s', (tool, rule, lines) => {
    expectAll(tool, rule, lines.split('|'), 'allow');
  });
});

describe('A-164 P7: git may be told to do anything', () => {
  const strict = [
    'subcommands: [push]',
    'subcommands: [branch]',
    'args: [tag, "**"]',
    'flags: [--no-verify]',
  ];
  const program = fc.constantFrom('./x', 'git push', 'sh -c ls', '');
  const running = fc
    .tuple(
      fc.constantFrom(
        ...[
          'rebase --exec',
          'rebase -x',
          'difftool --extcmd',
          'difftool -x',
          'fetch --upload-pack',
          'pull --upload-pack',
        ],
        ...['clone -u', 'ls-remote --exec', 'archive --exec', 'grep --open-files-in-pager'],
      ),
      program,
    )
    .map(([line, text]) => {
      const [sub = '', option = ''] = line.split(' ');
      return option.startsWith('--')
        ? [sub, `${option}=${text}`]
        : [sub, `${option}${text === '' ? '=' : text}`];
    });
  const words = fc.constantFrom(
    ['bisect', 'run', 'x'],
    ['submodule', 'foreach', 'x'],
    ['for-each-repo', '--config=x', 'y'],
  );
  const name = fc.constantFrom(
    ...[
      'remote.origin.fetch',
      'remote.origin.mirror',
      'core.fsmonitor',
      'core.sshCommand',
      'Core.Pager',
      'alias.log',
    ],
    ...['push.followTags', 'user.x.fsmonitor', 'core.editor', 'diff.external', 'x', 'user.name=.x'],
  );
  const setting = fc
    .tuple(name, fc.constantFrom('-c', '--config-env='), fc.constantFrom('log', 'fetch', 'status'))
    .map(([key, option, sub]) => (option === '-c' ? ['-c', `${key}=x`, sub] : [`${option}${key}=X`, sub]));

  test.each(strict)('by a program, or a setting: %s holds', (rule) => {
    const actionOf = actionsOf('git', rule);
    fc.assert(
      fc.property(fc.oneof(running, words, setting), (args) => {
        expect([args, actionOf(args)]).toEqual([args, 'deny']);
      }),
      { numRuns: numRuns * 3 },
    );
  });

  test('A-34 a setting that changes nothing about what it does is understood', () => {
    const lines = [
      ...[
        '-c user.name=x commit -m y',
        '-c core.pager=cat log',
        '-c Color.UI=never status',
        '-c core.quotePath=off ls-files',
      ],
      ...['-c http.https://x/.sslVerify=false fetch', '-c user.useConfigOnly=1 -c user.email=x@y commit'],
    ];
    for (const rule of ['subcommands: [push]', 'flags: [--no-verify]'])
      expectAll('git', rule, lines.slice(0, 5), 'allow');
    expectAll('git', 'subcommands: [push]', lines.slice(5), 'deny');
  });
});
