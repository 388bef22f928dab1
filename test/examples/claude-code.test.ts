import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { startRealGateway } from '../warden/real-gateway.ts';
import { configuredServer, connectConfigured } from './mcp-configuration.ts';

test('.mcp.json leads to a gateway: its tools are there, and a command is judged', async () => {
  await using gateway = await startRealGateway();
  const made = await gateway.cli('tokens', 'create', 'coder-mcp', '--role', 'agent', '--agent', 'coder');
  const env = { CLAWRDEN_MCP_URL: `${gateway.httpUrl}/mcp`, CLAWRDEN_TOKEN: made.stdout.trim() };
  await using client = await connectConfigured(env);
  expect(await client.tools()).toEqual(expect.arrayContaining(['list_programs', 'execute', 'help']));
  expect((await client.call('execute', { program: 'rm', args: ['-rf', '/'] }))[0]).toContain(
    'state: refused',
  );
  await expect(connectConfigured({ ...env, CLAWRDEN_TOKEN: 'clw_wrong' })).rejects.toThrow(/401/);
});

test('without variables it asks the agent’s own way out, and shows no token', async () => {
  expect(await configuredServer({})).toEqual({
    url: 'http://127.0.0.1:3128/mcp',
    headers: { Authorization: 'Bearer none' },
  });
});

test('settings.json names the server of .mcp.json, and takes the Bash tool away', async () => {
  const folder = join(packageRoot(), 'examples/claude-code');
  const settings = JSON.parse(await readFile(join(folder, '.claude/settings.json'), 'utf8')) as object;
  expect(settings).toEqual({ permissions: { allow: ['mcp__clawrden'], deny: ['Bash'] } });
});
