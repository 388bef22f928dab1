import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Asked } from '../examples/scripted-model.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import { checkout } from '../lab/names.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { startToldSite } from '../stack/told-site.ts';
import { startInternet } from './internet.ts';

const image = 'clawrden-examples/runner';

const policy = `version: 1
default: deny
workspace: /app
networks:
  thinking: { routes: [model] }
tools:
  ghostly: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
rules:
  - { name: never, tools: [ghostly], args: ["rm*"], action: deny, reason: "nothing is removed here" }
  - { name: all, tools: [ghostly], action: allow }
complete: true
`;

describe.skipIf(!hasLab())('the image of the example agent', () => {
  const docker = async (...args: string[]): Promise<string> => {
    // Images made here need no BuildKit, and it would need a plugin.
    const env = { ...process.env, DOCKER_BUILDKIT: '0' };
    const end = await sharedLab().agentHost.docker(args, { cwd: checkout, env, timeout: 300_000 });
    expect(end.code === 0 ? '' : end.stderr).toBe('');
    return end.stdout;
  };
  const inside = (script: string) =>
    docker('run', '--rm', '--network', 'none', '--entrypoint', 'sh', image, '-c', script);

  beforeAll(async () => {
    const line = ['--file', 'docker/runner/Dockerfile', '--tag', image, '--build-arg', `BASE=${nodeImage}`];
    await docker('build', '--network', 'none', ...line, '.');
  }, 300_000);
  afterAll(async () => {
    await docker('rmi', '-f', image);
  });

  test('has the programs of its list, and no other file that could be run but libraries', async () => {
    const list = await readFile(join(checkout, 'docker/runner/programs'), 'utf8');
    const named = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const found = await inside(
      'find / -xdev -type f -perm /111 ! -path "*/lib*/*" ! -path "/proc/*" ! -path /.dockerenv; find / -xdev -perm /6000 ! -path "/proc/*"',
    );
    expect(found.trim().split('\n').sort()).toEqual(named.map((name) => `/usr/bin/${name}`).sort());
  });

  test('every program of it starts, as an ordinary user, who can write in /app, /tmp and its home', async () => {
    const script = `
for each in cat chmod cp cut date diff env find grep head id ln ls mkdir mv realpath rm sed sort stat tail tee touch tr uniq wc xargs; do
  $each --version >/dev/null || echo "$each does not start"
done
node -p process.version; id -u; id -g
for folder in / /usr/bin /etc /opt/agent /clawrden/bin /app /tmp /home/agent; do
  touch $folder/x 2>/dev/null && echo $folder
done; true`;
    expect(await inside(script)).toBe(`${process.version}\n1000\n1000\n/app\n/tmp\n/home/agent\n`);
  });

  /** Does what the model says by these calls of tools, and ends. Resolves with what the model was told of each. */
  const letAgentWork = async (name: string, calls: readonly (readonly [string, object])[], env: string[]) => {
    const lab = sharedLab();
    const home = await lab.home(name);
    const steps = calls.map(([tool, args]) => ({
      calls: [{ name: tool, arguments: JSON.stringify(args) }],
    }));
    await using internet = await startInternet();
    await internet.order({ zone: { 'model.example': [[internet.address]] } });
    const main = join(checkout, 'test/examples/scripted-model-main.ts');
    const [program = '', ...args] = internet.inside([
      process.execPath,
      main,
      internet.address,
      JSON.stringify(steps),
    ]);
    const model = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await using _model = { [Symbol.asyncDispose]: async () => void model.kill('SIGKILL') };
    const lines: string[] = [];
    createInterface(model.stdout).on('line', (line) => void lines.push(line));
    await expect.poll(() => lines.length).toBe(1);
    await using site = await startToldSite(lab, {
      ...{ name, policy, under: internet.under, agentKeys: { network: 'thinking' } },
      agents: { coder: { bind: home, sync: true } },
      relay: { 'workspace-roots': [dirname(home)] },
      gateway: {
        routes: {
          model: {
            to: (lines[0] ?? '').replace(internet.address, 'model.example').replace(/v1$/, ''),
            private: true,
            environment: { MODEL_URL: '{url}v1' },
          },
        },
      },
    });
    const options = ['--rm', ...env.flatMap((each) => ['--env', each])];
    const { code, stdout, stderr } = await site.agent('run', ['coder', ...options, image, 'Do it']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'It is done.\n', stderr: '' });
    const { messages } = JSON.parse(lines.at(-1) ?? '') as Asked;
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  };

  test('the example agent in it does a task: it reaches its model alone, and its commands are judged', async () => {
    const run = (program: string, ...args: string[]) => ['run', { program, args }] as const;
    const told = await letAgentWork(
      'runner',
      [run('ghostly', 'echo from a ghost > made'), run('ghostly', 'rm made'), run('cat', 'made')],
      [],
    );
    expect(told.map((each) => each.split('\n', 1)[0])).toEqual(['exit code 0', 'exit code 1', 'exit code 0']);
    expect(told[1]).toContain('nothing is removed here');
    expect(told[2]).toContain('from a ghost');
  });

  test('by MCP it does the same at its own way out, without a token', async () => {
    const execute = (...args: string[]) => ['execute', { program: 'ghostly', args }] as const;
    const told = await letAgentWork(
      'runnermcp',
      [['list_programs', {}], execute('echo by MCP > made'), execute('rm made'), execute('cat made; exit 3')],
      ['MCP_URL=http://127.0.0.1:3128/mcp'],
    );
    expect(told[0]).toContain('ghostly: runs, some are refused');
    expect(told[1]).toContain('exit code: 0');
    expect(told[2]).toContain('nothing is removed here');
    expect(told[3]).toMatch(/exit code: 3[\s\S]*by MCP/);
  });
});
