import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type GhostWatch, watchGhosts } from '../stack/engine-events.ts';
import { plainRequest, type RawAgent, rawContainer, startRawAgent } from '../stack/raw-agent.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { createVerdicts, type Verdicts } from '../stack/verdicts.ts';
import { expectHardened } from './hardened.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
environment: { allow: [LANG, LC_*, TERM, TZ, NODE_ENV, CI] }
tools:
  "true": { strategy: passthrough }
  ls: { strategy: mirror }
  printenv: { strategy: mirror }
  env: { strategy: ghost, image: "clawrden-lab/node:24" }
  git: { strategy: ghost, image: "clawrden-lab/node:24" }
  bash: { strategy: ghost, image: "clawrden-lab/node:24" }
rules:
  - { name: look, tools: ["true", ls, printenv, env], args: [], action: allow }
  - { name: status, tools: [git], args: [status], action: allow }
  - { name: probe, tools: [bash], args: [/app/probe.sh], action: allow }
complete: true
`;

// Each program that a variable could mislead runs once, and the environment is printed.
const probe = `bash -c : ; sh -c : ; ls >/dev/null ; node -e 0 ; perl -e 0 ; python3 -c 0
git --no-pager diff --no-index /app/probe.sh /app/other.sh >/dev/null
git ls-remote ssh://nobody@127.0.0.1/x >/dev/null 2>&1
exec /usr/bin/env
`;

const canary = '/app/canary';

const dangerous = [
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'npm_config_script_shell', 'PYTHONPATH', 'RUBYOPT', 'BASH_ENV', 'ENV'],
  ...['GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'EDITOR', 'PAGER', 'JAVA_TOOL_OPTIONS', 'PROMPT_COMMAND'],
  ...['DOCKER_HOST', 'KUBECONFIG', 'HTTP_PROXY', 'http_proxy', 'CLAWRDEN_SOCKET', 'IFS'],
];

describe.skipIf(!hasLab())('the environment', () => {
  let stack: Stack;
  let raw: RawAgent;
  let verdicts: Verdicts;
  let ghosts: GhostWatch;
  beforeAll(async () => {
    ghosts = watchGhosts(sharedLab());
    stack = await startStack(sharedLab(), {
      name: 'env',
      policy,
      agents: { coder: { container: rawContainer } },
    });
    await fillWorkspace(stack.workspaceOf('coder'));
    raw = startRawAgent(stack.agents['coder']!);
    verdicts = createVerdicts(sharedLab(), stack, raw);
  });
  afterAll(async () => {
    ghosts?.stop();
    raw?.[Symbol.dispose]();
    await stack?.stop();
  });

  const runWith = (env: string[], command: string, args: string[] = []) =>
    raw.request({ ...plainRequest, command, args, env });
  const canaries = async () =>
    (await readdir(stack.workspaceOf('coder'))).filter((name) => name.startsWith('CANARY'));

  test('the canary sings if a variable does get through', async () => {
    const container = stack.agents['coder']!;
    await container.exec(['/bin/bash', '-c', ':'], { env: { BASH_ENV: canary } });
    expect(await canaries()).toEqual(['CANARY']);
    await container.exec(['/bin/rm', '/app/CANARY']);
  });

  test.concurrent.each([
    ...dangerous.map((name) => [name, canary]),
    ['NODE_OPTIONS', '--require=/app/canary.js'],
    ['PERL5OPT', '-I/app -Mcanary'],
    ['SHELLOPTS', 'xtrace', `PS4=$(${canary})`],
    ['BASH_FUNC_ls%%', `() { ${canary}; }`],
  ])('A-21 %s does not reach a tool', async (name = '', value = '', ...more) => {
    const answer = await runWith([`${name}=${value}`, 'LANG=C', ...more], 'bash', ['/app/probe.sh']);
    expect(answer).toMatchObject({ acks: [0], stderr: '', exit: [0, 0] });
    expect(answer.stdout).toContain('LANG=C\n');
    expect(answer.stdout).not.toContain(`${name}=`);
    expect(answer.stdout).not.toMatch(/canary|PS4/);
    const mirrored = await runWith([`${name}=${value}`, 'LANG=C', ...more], 'printenv');
    expect(mirrored.stdout).toContain('LANG=C\n');
    expect(mirrored.stdout).not.toMatch(/canary|PS4/);
  });

  test('A-21 no canary sang', async () => expect(await canaries()).toEqual([]));

  test('A-22 PATH is never the caller’s: not for the ghost, not for the mirror, not through the shim', async () => {
    const path = 'PATH=/app/evilbin:/usr/bin';
    expect((await runWith([path], 'git', ['status'])).stderr).toContain('not a git repository');
    expect(await runWith([path], 'ls')).toMatchObject({
      exit: [0, 0],
      stdout: expect.stringContaining('evilbin'),
    });
    const env = { PATH: '/app/evilbin:/usr/bin:/bin' };
    const { stderr } = await stack.agents['coder']!.exec(['/clawrden/bin/git', 'status'], { env });
    expect(stderr).toContain('not a git repository');
    await stack.agents['coder']!.exec(['/clawrden/bin/ls'], { env });
    expect((await runWith([path], 'env')).stdout).not.toContain('evil');
    expect(await canaries()).toEqual([]);
  });

  test.each([
    ['a name in small letters', ['ld_preload=/app/x.so']],
    ['a name with a space', ['LD_PRELOAD =/app/x.so', 'NODE_ENV =a']],
    ['a value with a line break', ['NODE_ENV=a\nLD_PRELOAD=/app/x.so']],
    ['a value with an escape', ['TERM=\u001b[2J']],
    ['a name twice', ['NODE_ENV=a', 'NODE_ENV=b']],
    ['a name twice, the second time empty', ['NODE_ENV=a', 'NODE_ENV=']],
  ])('A-23 %s is left out', async (_what, env) => {
    for (const command of ['env', 'printenv']) {
      const { stdout, exit } = await runWith([...env, 'LANG=C'], command);
      expect(exit).toEqual([0, 0]);
      expect(stdout).toContain('LANG=C\n');
      expect(stdout).not.toMatch(/NODE_ENV|PRELOAD|preload|TERM/);
    }
  });

  test('A-23 a name with a line break is refused', () =>
    verdicts.refuses(() => runWith(['LD_PRELOAD\n=x'], 'env'), 'request-invalid'));

  test('A-24 5 000 variables, and one of 200 kB, are refused', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `V${index}=x`);
    await verdicts.refuses(() => runWith(many, 'env'), 'too-large');
    await verdicts.refuses(() => runWith([`LANG=${'x'.repeat(200_000)}`], 'env'), 'too-large');
  });

  test('A-25 a ghost has the image’s environment, what is allowed of the caller’s, HOME, and nothing else', async () => {
    const { stdout } = await runWith(
      [...plainRequest.env, 'SECRET=1', 'HOME=/app', 'PWD=/app', 'LC_ALL=C'],
      'env',
    );
    expect(stdout.split('\n').map((line) => line.split('=')[0])).toEqual([
      ...['GIT_SSL_CAINFO', 'HOME', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS', 'PATH', 'PWD', ''],
    ]);
    expect(stdout).toContain('HOME=/home/ghost\n');
    expect(stdout).toContain('PATH=/usr/local/sbin:');
  });

  test('A-25 a mirrored command has its container’s PATH and HOME, and no name of the relay or the gateway', async () => {
    const { stdout } = await runWith([...plainRequest.env, 'SECRET=1'], 'printenv');
    const names = stdout.split('\n').map((line) => line.split('=')[0]);
    expect(new Set(names)).toEqual(new Set(['', 'HOME', 'LANG', 'PATH']));
    expect(stdout).not.toContain('/clawrden');
  });

  test('A-60 every ghost that this took was hardened', async () => {
    const world = {
      workspaces: { coder: stack.workspaceOf('coder') },
      users: { coder: '1000:1000' },
      stateDir: join(stack.dir, 'warden'),
    };
    const all = await ghosts.inspected();
    expect(all.length).toBeGreaterThan(30);
    for (const ghost of all) await expectHardened(ghost, world);
  });
});

async function fillWorkspace(app: string): Promise<void> {
  const touch = `#!/bin/sh\n/bin/touch /app/CANARY\n`;
  await mkdir(join(app, 'evilbin'));
  const files = {
    'probe.sh': probe,
    'other.sh': '',
    canary: touch,
    'evilbin/git': touch,
    'evilbin/ls': touch,
    'canary.js': "require('node:fs').writeFileSync('/app/CANARY', '');",
    'canary.pm': "open(F, '>', '/app/CANARY'); 1;",
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(app, name), text);
    await chmod(join(app, name), 0o755);
  }
}
