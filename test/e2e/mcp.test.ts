import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { clients, idOf } from '../mcp/clients.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, untilNoGhosts } from './life.ts';

describe.skipIf(!hasLab())('MCP before real engines', () => {
  let stack: Stack;
  let token: string;
  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'mcp', policy: lifePolicy(), agents: { coder: {} } });
    const made = await stack.cli(['tokens', 'create', 'coder-mcp', '--role', 'agent', '--agent', 'coder']);
    token = made.stdout.trim();
  });
  afterAll(() => stack?.stop());

  test.each(clients)(
    'by %s a ghost runs, tells its progress, is canceled, and waits for a yes of the CLI',
    async (_, connect) => {
      await using client = await connect(stack.httpUrl, token);
      expect((await client.call('list_programs')).texts[0]).toContain('ghostly: ');
      const told: string[] = [];
      const run = (script: string, options = {}) =>
        client.call('execute', { program: 'ghostly', args: [script] }, options);
      const done = await run('echo one; sleep 1; echo two; exit 4', {
        onprogress: (message: string) => told.push(message),
      });
      expect(done.texts).toEqual([expect.stringContaining('exit code: 4'), 'stdout, 8 bytes:', 'one\ntwo\n']);
      expect(told).toContain('one\n');
      const canceled = new AbortController();
      const sleeping = run('echo begun; sleep 300', {
        signal: canceled.signal,
        onprogress: (message: string) => message === 'begun\n' && canceled.abort(),
      });
      await expect(sleeping).rejects.toThrow(/abort/i);
      expect(await untilNoGhosts(sharedLab(), 'coder', 30_000)).toBeLessThan(3000);
      const asked = await run(': ask; echo yes');
      const approval = /^approval: (.+)$/m.exec(asked.texts[0] ?? '')?.[1] ?? '';
      await stack.cli(['show', approval]);
      expect(await stack.cli(['approve', approval])).toMatchObject({ code: 0, stderr: '' });
      const ended = await client.call('await_execution', { id: idOf(asked) });
      expect(ended.texts.slice(1)).toEqual(['stdout, 4 bytes:', 'yes\n']);
      expect((await run(': no')).texts[0]).toMatch(/not here.*never.*\(denied-by-rule\)/s);
    },
  );
});
