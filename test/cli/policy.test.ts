import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { clawrden } from './clawrden.ts';

const example = join(packageRoot(), 'policy.yaml');
const folder = mkdtempSync(join(tmpdir(), 'clawrden-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const open = file('open.yaml', 'version: 1\ndefault: allow\ntools: {}\ncomplete: true\n');
const broken = file('broken.yaml', 'version: 1\nrulez: []\n');

test('policy check: the example passes', async () => {
  const { code, stdout } = await clawrden(['policy', 'check', example]);
  expect(stdout).toMatch(/version 1, 13 tools, 11 rules\nsha256 [0-9a-f]{64}\n/);
  expect(stdout).toContain('warning  npm can reach a network');
  expect(stdout).toContain('ok, 0 errors, 1 warning');
  expect(code).toBe(0);
});

test('A-35 policy check: errors are refused unless forced', async () => {
  const refused = await clawrden(['policy', 'check', open]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^clawrden: policy check: .*; mend/),
  });
  expect(refused.stdout).toContain('error    default: allow');
  expect(await clawrden(['policy', 'check', open, '--force'])).toMatchObject({ code: 0, stderr: '' });
});

test('A-36 policy check: what is no policy is told by file and line', async () => {
  const { code, stdout, stderr } = await clawrden(['policy', 'check', broken]);
  expect(stdout).toContain(`${broken}:2: rulez: is not a known key (nearest valid key is "rules")`);
  expect(stderr).toBe(`clawrden: policy check: ${broken} is no policy; mend what is named above\n`);
  expect(code).toBe(1);
  expect(await clawrden(['policy', 'check', join(folder, 'missing')])).toMatchObject({ code: 1 });
});

test('policy check escapes what others wrote, and nothing of its own', async () => {
  const rule = '{ name: open, tools: [git], args: ["**"], action: allow }';
  const text = `version: 1\ntools: { git: { strategy: mirror } }\nrules: [${rule}]\ncomplete: true\n`;
  const { stdout } = await clawrden(['policy', 'check', file('gr\u00f6\u00dfe.yaml', text)]);
  const name = 'gr\\u{f6}\\u{df}e';
  expect(stdout).toContain(name);
  expect(stdout).toContain(' ...:');
  expect(stdout.replaceAll(name, '')).not.toContain('\\u{');
});

test('P8 tools check, and policy check with a folder of tool files', async () => {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  const front = 'name: gh\ndescription: a tool\nstrategy: mirror\n';
  const gh = file('tools/gh.md', `---\n${front}---\nHow.\n`);
  const wrong = file('tools/hub.md', `---\n${front}imgae: x\n---\n`);
  const rule = '{ name: look, tools: [gh, gone], action: allow }';
  const policy = file('open-tools.yaml', `version: 1\nrules: [${rule}]\ncomplete: true\n`);
  expect(await clawrden(['tools', 'check', gh])).toMatchObject({ code: 0, stdout: `ok, ${gh} defines gh\n` });
  expect(await clawrden(['tools', 'check', gh, '--policy', policy])).toMatchObject({ code: 0 });
  const taken = await clawrden(['tools', 'check', gh, '--policy', example]);
  expect(taken).toMatchObject({ code: 0 });
  const refused = await clawrden(['tools', 'check', wrong]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: `clawrden: tools check: ${wrong} is no tool file; mend what is named above\n`,
  });
  expect(refused.stdout).toContain(`${wrong}:5: imgae: is not a known key`);
  const json = JSON.parse((await clawrden(['tools', 'check', '--json', wrong])).stdout);
  expect(json).toMatchObject({ name: 'hub', ok: false, problems: [expect.stringContaining('imgae')] });
  const whole = await clawrden(['policy', 'check', policy, '--tool-files', tools]);
  expect(whole.stdout).toContain(`error    ${wrong}:5: imgae`);
  expect(whole.stdout).toContain('the tool "gone" is not defined');
  expect(whole.code).toBe(1);
  expect((await clawrden(['policy', 'check', policy])).stdout).toContain('the tool "gh" is not defined');
  const explained = ['policy', 'explain', '--policy', policy, '--tool-files', tools, '--', 'gh', 'x'];
  expect((await clawrden(explained)).stdout).toContain('allow');
});

test('policy check --json', async () => {
  const good = await clawrden(['policy', 'check', '--json', example]);
  expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, version: 1, problems: [], errors: [] });
  const bad = await clawrden(['policy', 'check', '--json', broken]);
  expect(JSON.parse(bad.stdout)).toMatchObject({
    ok: false,
    problems: [expect.any(String), expect.any(String)],
  });
  expect([good.code, bad.code]).toEqual([0, 1]);
});

test('policy explain says what would happen, and where that is written', async () => {
  const { code, stdout } = await clawrden([
    'policy',
    'explain',
    '--policy',
    example,
    '--',
    'npm',
    'install',
    'a b',
  ]);
  expect(stdout).toMatch(/^ask {2}npm install "a b"\n/);
  expect(stdout).toMatch(/rule +install \(line \d+\): "fetches code from outside"/);
  expect(stdout).toMatch(/runs +in a fresh container of node:24 \(ghost\), network clawrden-egress/);
  expect(code).toBe(0);
});

test.each([
  [['ls', '-la'], { action: 'allow', rule: 'read-only' }],
  [['npm', 'i', '-g', 'x'], { action: 'deny', rule: 'no-global', code: 'denied-by-rule' }],
  [['npm', 'publish'], { action: 'deny', rule: 'default', code: 'denied-by-default' }],
  [['docker', 'ps'], { action: 'deny', rule: 'tool-unknown', code: 'tool-unknown' }],
  [['git', 'push'], { action: 'deny', rule: 'git-push' }],
])('policy explain --json: %j', async (argv, decision) => {
  const { code, stdout } = await clawrden(['policy', 'explain', '--policy', example, '--json', ...argv]);
  expect(JSON.parse(stdout)).toMatchObject({ argv, cwd: '/app', decision });
  expect(code).toBe(0);
});

test('policy explain: user, agent and working directory count', async () => {
  const explain = async (...args: string[]) =>
    JSON.parse(
      (await clawrden(['policy', 'explain', '--policy', example, '--json', ...args, '--', 'ls'])).stdout,
    );
  expect((await explain('--uid', '0')).decision.rule).toBe('no-root');
  expect((await explain('--cwd', '/app/../etc')).decision).toMatchObject({
    action: 'deny',
    code: 'cwd-outside',
  });
  expect((await explain('--cwd', '/app/x/..')).cwd).toBe('/app');
});

test('A-47 policy explain shows an argument without letting it act', async () => {
  const { stdout } = await clawrden([
    'policy',
    'explain',
    '--policy',
    example,
    '--',
    'ls',
    '\u001b[2J\u202e',
  ]);
  expect(stdout).toContain('ls "\\u{1b}[2J\\u{202e}"');
  expect(stdout).not.toContain('\u001b[2J');
});

test.each([
  [['policy', 'explain', '--context', '/nowhere', 'ls'], 1, 'clawrden: context: /nowhere'],
  [['policy', 'explain', '--policy', example], 2, 'clawrden: usage'],
  [['policy', 'explain', '--policy', example, '--uid', 'root', '--', 'ls'], 2, 'clawrden: usage'],
  [['policy', 'explain', '--policy', broken, '--', 'ls'], 1, 'clawrden policy check'],
  [['policy', 'check'], 2, 'clawrden: usage'],
])('%j exits with %d', async (args, code, text) => {
  const end = await clawrden(args);
  expect(end.code).toBe(code);
  expect(end.stderr).toContain(text);
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
});

test('policy test holds a policy against a table', async () => {
  const table = (expected: string) =>
    file(
      'table.yaml',
      `policy: ${example}\ntests:\n  - { run: npm install x, expect: ask, rule: install }\n  - { run: [git, push], expect: ${expected} }\n`,
    );
  expect(await clawrden(['policy', 'test', table('deny')])).toMatchObject({
    code: 0,
    stdout: '2 passed, 0 failed\n',
  });
  const failed = await clawrden(['policy', 'test', table('allow')]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('table.yaml:4: git push\n  expected allow, got deny by git-push');
  const json = await clawrden(['policy', 'test', '--json', table('allow')]);
  expect(JSON.parse(json.stdout)).toMatchObject({ passed: 1, failed: [{ action: 'deny' }] });
  expect(await clawrden(['policy', 'test', broken])).toMatchObject({ code: 1 });
});
