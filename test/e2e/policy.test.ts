import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Answer, plainRequest, type RawAgent, rawContainer, startRawAgent } from '../stack/raw-agent.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { untilAsked } from './life.ts';
import { type } from './typed.ts';

/** Allows each tool of the cases its safe arguments, with the agent's own copy of the tool. */
const policy = `version: 1
workspace: /app
timeout: 30s
tools:
  "true": { strategy: passthrough }
  ls: { strategy: mirror }
  mirrored: { strategy: mirror }
  docker: { strategy: mirror }
  env: { strategy: mirror }
  timeout: { strategy: mirror }
  nice: { strategy: mirror }
  xargs: { strategy: mirror }
  sh: { strategy: mirror }
  busybox: { strategy: mirror }
  git: { strategy: mirror }
  tar: { strategy: mirror }
  find: { strategy: mirror }
  sort: { strategy: mirror }
  npm: { strategy: mirror }
rules:
  - { name: look, tools: [ls, "true"], action: allow }
  - { name: wrap, tools: [env, timeout, nice, xargs, sh, busybox], action: allow }
  - { name: safe, tools: [git, tar, find, sort], safe-arguments: true, action: allow }
  - { name: scripts, tools: [npm], subcommands: [test], safe-arguments: true, action: allow, rate: 2/h }
  - { name: slow, tools: [mirrored], action: ask }
  - { name: never, tools: [docker], action: deny, reason: not for agents }
complete: true
`;

const wrapRule = policy.split('\n').find((line) => line.includes('name: wrap,')) ?? '';

describe.skipIf(!hasLab())('the policy, through the shim', () => {
  let stack: Stack;
  let raw: RawAgent;
  let file: string;

  beforeAll(async () => {
    stack = await startStack(sharedLab(), {
      name: 'policy',
      policy,
      agents: { coder: { container: rawContainer }, asker: {} },
    });
    raw = startRawAgent(stack.agents['coder']!);
    file = join(stack.dir, 'warden', 'policy.yaml');
  });
  afterAll(async () => {
    raw?.[Symbol.dispose]();
    await stack?.stop();
  });

  const ask = (command: string, args: readonly string[]): Promise<Answer> =>
    raw.request({ ...plainRequest, command, args });
  const statusHash = async () => {
    const { stdout } = await stack.cli(['policy', 'show', '--json']);
    return (JSON.parse(stdout) as { hash: string; problem: string }) ?? {};
  };
  const replace = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };

  test.each<readonly string[]>([
    ['git', '-c', 'alias.x=!touch /app/CANARY', 'x'],
    ['git', '-c', 'core.fsmonitor=/app/c.sh', 'status'],
    ['git', '--exec-path=/app/x', 'status'],
    ['git', 'ls-remote', '--upload-pack=/app/c.sh', '.'],
    ['git', 'ls-remote', '--upload-pa=/app/c.sh', '.'],
    ['git', 'grep', '--open-files-in-pager=/app/c.sh', 'x'],
    ['git', 'grep', '-O/app/c.sh', 'x'],
    ['tar', 'cf', '/dev/null', '--checkpoint=1', '--checkpoint-action=exec=/app/c.sh', 'f'],
    ['tar', 'cf', '/dev/null', '--checkpoint-act=exec=/app/c.sh', 'f'],
    ['tar', '-I', '/app/c.sh', '-cf', 'x', 'f'],
    ['tar', 'xf', 'y', '--to-command=/app/c.sh'],
    ['find', '.', '-exec', '/app/c.sh', ';'],
    ['find', '.', '-execdir', '/app/c.sh', ';'],
    ['find', '.', '-ok', '/app/c.sh', ';'],
    ['find', '.', '-delete'],
    ['find', '--', '.', '-delete'],
    ['sort', '-S1K', '--compress-program=/app/c.sh', 's'],
    ['npm', '--script-shell=/app/c.sh', 'test'],
    ['npm', 'exec', '-c', '/app/c.sh'],
    ['env', '-S', 'docker ps'],
    ['env', 'docker', 'ps'],
    ['timeout', '5', 'docker', 'ps'],
    ['xargs', 'docker'],
    ['sh', '-c', 'docker ps'],
    ['busybox', 'sh', '-c', 'docker ps'],
    ['nice', 'docker', 'ps'],
  ])('A-27 A-28 A-29 A-30 A-31 A-32 refused: %s %s %s', async (tool = '', ...args) => {
    expect(await ask(tool, args)).toMatchObject({ acks: [1], stdout: '', exit: [1, 0] });
  });

  test('A-33 behind 10 000 harmless arguments a rule still counts, within its time', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `file-${index}`);
    const answer = await ask('git', ['ls-remote', ...many, '--upload-pack=/app/c.sh']);
    expect(answer).toMatchObject({ acks: [1], exit: [1, 0] });
    expect(answer.ms).toBeLessThan(2000);
  });

  test('A-34 what is harmless runs', async () => {
    for (const [tool, ...args] of [
      ['ls', '-la'],
      ['timeout', '5', 'ls'],
      ['sh', '-c', 'ls -l /app'],
      ['find', '.', '-name', '-delete'],
      ['sort', '--', '/etc/passwd'],
    ] as const) {
      expect(await ask(tool, args)).toMatchObject({ acks: [0], exit: [0, 0] });
    }
  });

  test('A-31 a script of the package runs; a rate that is used up refuses, and says so', async () => {
    const answers = [
      await ask('npm', ['test']),
      await ask('npm', ['test', '--', 'x', '--script-shell=x']),
      await ask('npm', ['t']),
    ];
    expect(answers.map(({ acks }) => acks)).toEqual([[0], [0], [1]]);
    expect(answers[2]?.stderr).toMatch(/^clawrden: rate-limit: the rule scripts lets 2 through/);
  });

  test('a refusal says the reason, the rule and what to do', async () => {
    const { code, stderr } = await stack.agents['coder']!.exec(['docker', 'ps']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^clawrden: denied-by-rule: not for agents \(rule never\); .*\n$/),
    ]);
  });

  test('the gateway explains, with the plan that it would make', async () => {
    const explain = async (...argv: string[]) => {
      const { stdout } = await stack.cli(['policy', 'explain', '--json', '--agent', 'coder', '--', ...argv]);
      return JSON.parse(stdout) as unknown;
    };
    expect(await explain('ls', '-la')).toMatchObject({
      action: 'allow',
      rule: 'look',
      line: expect.any(Number),
      plan: { argv: ['ls', '-la'], agent: 'coder', strategy: 'mirror', uid: 1000, cwd: '/app' },
    });
    expect(await explain('docker')).toMatchObject({ action: 'deny', code: 'denied-by-rule' });
  });

  test('A-35 what is unwise in a policy is told before it counts, and the gravest refused', async () => {
    const check = async (name: string, rules: string) => {
      const path = join(stack.dir, name);
      await writeFile(path, `${policy.slice(0, policy.indexOf('rules:'))}rules:\n${rules}complete: true\n`);
      return stack.cli(['policy', 'check', path]);
    };
    const grave = await check('grave.yaml', `  - { name: all, action: allow }\n${wrapRule}\n`);
    expect(grave).toMatchObject({ code: 1, stderr: expect.stringMatching(/^clawrden: policy check: .*\n$/) });
    for (const error of [
      'rule all (line 21) allows every tool',
      'rule wrap (line 22) allows env, which runs any',
    ])
      expect(grave.stdout).toContain(`error    ${error}`);
    const unwise = await check(
      'unwise.yaml',
      `  - { name: some, tools: [ls, find], args: ["(a+)+$"], action: allow }\n  - { name: none, tools: [ls], action: deny }\n`,
    );
    expect(unwise.code).toBe(0);
    for (const warning of ['"(a+)+$" looks like a regular expression', 'allows find, which runs programs'])
      expect(unwise.stdout).toContain(warning);
  });

  test('A-36 a gateway with a policy that says nothing does not start; with one that does it serves again', async () => {
    expect(await stack.gateway.end('SIGTERM')).toBe(0);
    await writeFile(file, '# version: 1\n# default: allow\n');
    await expect(stack.startGateway()).rejects.toThrow(/clawrden: gateway: [^\n]*policy\.yaml/);
    await writeFile(file, policy);
    await stack.startGateway();
    await expect
      .poll(() => ask('ls', ['-d', '/app']), { timeout: 20_000 })
      .toMatchObject({
        stdout: '/app\n',
        exit: [0, 0],
      });
  });

  test('A-40 P7 whatever the order of the rules, agents get the same answers', async () => {
    const lines: readonly (readonly string[])[] = [
      ['ls', '-d', '/app'],
      ['docker', 'ps'],
      ['git', 'status', '-c'],
      ['find', '.', '-delete'],
      ['find', '.', '-maxdepth', '0'],
      ['timeout', '5', 'docker', 'ps'],
      ['sh', '-c', 'ls -d /app'],
    ];
    const answers = async () => {
      const all = await Promise.all(lines.map(([tool = '', ...args]) => ask(tool, args)));
      return all.map(({ acks, stdout, stderr, exit }) => ({ acks, stdout, stderr, exit }));
    };
    const rules = policy.split('\n').filter((line) => line.startsWith('  - {'));
    const expected = await answers();
    expect(expected.map(({ acks }) => acks[0])).toEqual([0, 1, 1, 1, 0, 1, 0]);
    for (const order of [rules.toReversed(), rules.toSorted()]) {
      const { hash } = await statusHash();
      const [head] = policy.split('rules:');
      await replace(`${head}rules:\n${order.join('\n')}\ncomplete: true\n`);
      await waitUntil('the new order', 10_000, async () => (await statusHash()).hash !== hash);
      expect(await answers()).toEqual(expected);
    }
    await replace(policy);
  });

  test('A-37 P8 a broken file changes nothing, and is told in the audit and to operators', async () => {
    const before = await statusHash();
    await writeFile(file, policy.replace('rules:', 'rulez:'));
    // It is empty for a moment, which is another fault.
    await waitUntil('the fault to be told', 10_000, async () =>
      (await statusHash()).problem.includes('rulez'),
    );
    expect((await statusHash()).hash).toBe(before.hash);
    expect(await ask('ls', [])).toMatchObject({ acks: [0] });
    expect(await ask('docker', ['ps'])).toMatchObject({ acks: [1] });
    expect(await stack.audit()).toContainEqual(
      expect.objectContaining({ type: 'incident', incident: 'policy-refused' }),
    );
    await replace(policy);
    await waitUntil('the fault to be gone', 10_000, async () => (await statusHash()).problem === '');
  });

  test('A-38 no beginning of the file ever lets docker run', async () => {
    for (let index = 0; index < 100; index += 1) {
      await writeFile(file, policy.slice(0, (index * 7919) % policy.length));
      expect(await ask('docker', ['ps'])).toMatchObject({ acks: [1] });
    }
    await replace(policy);
    await waitUntil('the fault to be gone', 10_000, async () => (await statusHash()).problem === '');
  });

  test('A-39 a policy that denies meanwhile is asked when a person says yes; what runs goes on', async () => {
    const running = await type(stack.agents['asker']!, ['mirrored', 'sleep 8']);
    expect((await stack.cli(['approve', await untilAsked(stack)])).code).toBe(0);
    const typing = await type(stack.agents['asker']!, ['mirrored', 'sleep 1']);
    const id = await untilAsked(stack);
    const { hash } = await statusHash();
    await replace(policy.replace('tools: [mirrored], action: ask', 'tools: [mirrored], action: deny'));
    await waitUntil('the new policy', 10_000, async () => (await statusHash()).hash !== hash);
    expect((await stack.cli(['approve', id])).code).toBe(0);
    const { code, stderr } = await typing.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('clawrden: policy-changed: ')]);
    expect((await running.ended).code).toBe(0);
    const decisions = (await stack.audit()).filter(({ type: what }) => what === 'decision');
    expect(decisions.at(-1)).toMatchObject({ policyHash: hash });
  });

  test('a tool that a new policy defines is linked into the jail', async () => {
    const { hash } = await statusHash();
    await replace(
      policy
        .replace('  ls: {', '  wc: { strategy: mirror }\n  ls: {')
        .replace('tools: [ls,', 'tools: [wc, ls,'),
    );
    await waitUntil('the new policy', 10_000, async () => (await statusHash()).hash !== hash);
    const count = () => stack.agents['asker']!.exec(['wc', '-c', '/etc/passwd']);
    await expect.poll(count, { timeout: 10_000 }).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(stack.dir, 'gateway.log'), 'utf8')).toContain('policy loaded');
  });
});
