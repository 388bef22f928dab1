import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { startAgentSite } from '../mcp/agent-site.ts';
import { type Says, startScriptedModel } from './scripted-model.ts';

/** An agent that calls a tool for each of `calls`, one after the other, and then says that it is done. */
async function runAgent(
  program: string,
  calls: readonly (readonly [string, object])[],
  env: NodeJS.ProcessEnv,
) {
  await using model = await startScriptedModel((turn): Says => {
    const [name = '', args] = calls[turn - 1] ?? [];
    return name === '' ? { content: 'It is done.' } : { calls: [{ name, arguments: JSON.stringify(args) }] };
  });
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-openai-'));
  const child = spawn(
    process.execPath,
    [join(packageRoot(), 'examples/openai-agents', program), 'do', 'it'],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  await rm(folder, { recursive: true });
  const told = model.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
  return {
    ...{ code, stdout: await stdout, stderr: await stderr, first: model.asked[0] },
    told: told.map(({ content }) => content),
  };
}

test('by shim: it runs programs of PATH, and the model hears what came of each', async () => {
  const calls = [
    ['run', { program: 'tee', args: ['made'], stdin: 'hello\n' }],
    ['run', { program: 'sh', args: ['-c', 'cat made; echo refused >&2; exit 3'], stdin: '' }],
  ] as const;
  const { code, stdout, stderr, told, first } = await runAgent('by-shim.ts', calls, {});
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'It is done.\n', stderr: '' });
  expect(told).toEqual([
    'exit code 0\nstdout:\nhello\n\nstderr:\n',
    'exit code 3\nstdout:\nhello\n\nstderr:\nrefused\n',
  ]);
  expect(first?.messages.at(-1)).toMatchObject({ role: 'user', content: 'do it' });
});

test('by MCP: its tools are those of the gateway, a silent command of 7 s is waited for, and a refusal says what to do', async () => {
  await using site = await startAgentSite(async () => {
    await sleep(7000);
    return { kind: 'exited', code: 4, signal: 0 };
  });
  const calls = [
    ['execute', { program: 'job', args: ['one'] }],
    ['execute', { program: 'pick', args: ['two'] }],
  ] as const;
  const env = { CLAWRDEN_MCP_URL: `${site.door.url}/mcp`, CLAWRDEN_TOKEN: site.token };
  const { code, stdout, stderr, told, first } = await runAgent('by-mcp.ts', calls, env);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'It is done.\n', stderr: '' });
  expect(first?.tools?.map((tool) => tool.function.name)).toContain('list_programs');
  expect(told[0]).toContain('exit code: 4');
  expect(told[1]).toMatch(/two is too many[\s\S]*pick one/);
});
