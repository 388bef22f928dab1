import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptTool } from '../lab/images/busybox-root.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, listed, shells, untilAsked, untilAudited, untilNoGhosts } from './life.ts';
import { type Typing, type, typed } from './typed.ts';

const program = '/v0-client.mts';

describe.skipIf(!hasLab())('a client of version 0', () => {
  let stack: Stack;
  const start = (...argv: string[]): Promise<Typing> => type(stack.agents.elder!, ['node', program, ...argv]);
  const run = (...argv: string[]) => typed(stack.agents.elder!, ['node', program, ...argv]);

  beforeAll(async () => {
    const container = {
      image: nodeImage,
      command: ['sleep', 'infinity'],
      extra: ['--volume', `${join(import.meta.dirname, 'v0-client.ts')}:${program}:ro`],
    };
    const policy = lifePolicy({ tools: '  echo: { strategy: passthrough }' });
    stack = await startStack(sharedLab(), { name: 'v0', policy, agents: { elder: { container } } });
    const install = `printf %s '${scriptTool}' > /usr/local/bin/mirrored; chmod 755 /usr/local/bin/mirrored`;
    await stack.agents.elder!.exec(['/bin/sh', '-c', install], { user: '0:0' });
  });
  afterAll(() => stack?.stop());

  describe.each(shells)('$strategy', ({ shell }) => {
    test('allowed: both outputs and the exit code', async () => {
      const { code, stdout, stderr } = await run(shell, 'cat; echo out; echo err >&2; exit 7');
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({
        code: 7,
        stdout: 'out\n',
        stderr: 'err\n',
      });
    });

    test('a tool that dies by a signal ends it with 128 and its number', async () => {
      expect(await run(shell, 'kill -9 $$')).toMatchObject({ code: 137, signal: '' });
    });

    test('denied', async () => {
      expect(await run(shell, ': no')).toMatchObject({ code: 1, stderr: 'denied\n' });
    });

    test('pending, then allowed', async () => {
      const typing = await start(shell, ': ask; echo ran');
      expect((await stack.cli(['approve', await untilAsked(stack)])).code).toBe(0);
      const { code, stdout, stderr } = await typing.ended;
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({
        code: 0,
        stdout: 'ran\n',
        stderr: 'pending\n',
      });
    });

    test('pending, then denied', async () => {
      const typing = await start(shell, ': ask; echo ran');
      expect((await stack.cli(['deny', await untilAsked(stack)])).code).toBe(0);
      expect(await typing.ended).toMatchObject({ code: 1, stderr: 'pending\ndenied\n' });
    });

    test.each(['SIGINT', 'SIGTERM'] as const)('cancel on %s: nothing is left after 3 s', async (signal) => {
      const marker = `on ${shell} ${signal}`;
      const typing = await start(shell, `echo ${marker}; sleep 300`);
      await typing.said(marker);
      await typing.signal(signal);
      await untilNoGhosts(sharedLab(), 'elder', 3000);
      const stays = async () => (await sharedLab().agentHost.commandsRunning()).includes('sleep 300');
      await waitUntil('the tool to end', 3000, async () => !(await stays()));
      await typing.ended;
      await untilAudited(
        stack,
        'outcome',
        ({ outcome, reason }) => outcome === 'canceled' && reason === 'canceled',
      );
    });
  });

  test('what the policy lets run in place runs by mirror', async () => {
    const { code, stdout } = await run('echo', 'in place');
    expect([code, stdout.toString()]).toEqual([0, 'in place\n']);
    const [newest] = await listed(stack, 'history');
    expect(newest).toMatchObject({ strategy: 'mirror', outcome: 'exited' });
  });

  test('124 and 127 follow ack 0', async () => {
    const { code, stderr } = await run('no-such-tool');
    expect(code).toBe(127);
    expect(stderr).toMatch(/^clawrden: not-found: /);
    expect(await run('tail', '-f', '/dev/null')).toMatchObject({ code: 124 });
  });
});
