import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, listed, untilAsked } from './life.ts';
import { type, typed } from './typed.ts';

describe.skipIf(!hasLab())('what a command waits for', () => {
  let stack: Stack;
  const agent = () => stack.agents.waiter!;

  beforeAll(async () => {
    stack = await startStack(sharedLab(), {
      name: 'waiting',
      policy: lifePolicy(),
      agents: { waiter: {} },
      gateway: { limits: { queued: 1, 'queue-timeout': '3s' } },
      host: { slots: 1 },
    });
  });
  afterAll(() => stack?.stop());

  /** What a terminal in the agent's container shows of a command until its end. */
  async function onTerminal(...argv: string[]): Promise<string> {
    return (await sharedLab().agentHost.docker(['exec', '--tty', agent().name, ...argv])).stdout;
  }

  /** Takes every slot; the returned function frees them. */
  async function occupy(): Promise<() => Promise<unknown>> {
    const typings = await Promise.all(
      sharedLab().hosts.map(() => type(agent(), ['ghostly', 'echo on; read x'], { stdin: 'pipe' })),
    );
    await Promise.all(typings.map((typing) => typing.said('on')));
    return () => {
      for (const { stdin } of typings) stdin?.end();
      return Promise.all(typings.map(({ ended }) => ended));
    };
  }

  const untilQueued = () =>
    waitUntil('a place in line', 10_000, async () =>
      (await listed(stack, 'ps')).some(({ state }) => state === 'queued'),
    );

  test('a slot: a terminal is told the place in line; queue-full for the next, queue-timeout at the end', async () => {
    const giveBack = await occupy();
    const second = onTerminal('ghostly', 'echo late');
    await untilQueued();
    const third = await typed(agent(), ['ghostly', 'echo no']);
    expect([third.code, third.stderr]).toEqual([125, expect.stringMatching(/^clawrden: queue-full: .*\n$/)]);
    expect(await second).toMatch(
      /^clawrden: waiting for a Docker host, 1 in line\r\nclawrden: queue-timeout: .*\r\n$/,
    );
    await giveBack();
  });

  test('a slot that comes: nobody but a terminal is told anything', async () => {
    const giveBack = await occupy();
    const second = typed(agent(), ['ghostly', 'echo there; echo too >&2']);
    await untilQueued();
    await giveBack();
    const { code, stdout, stderr } = await second;
    expect([code, stdout.toString(), stderr]).toEqual([0, 'there\n', 'too\n']);
  });

  test('a person: a terminal is told the id, and nobody else anything', async () => {
    const shown = onTerminal('mirrored', ': ask; echo ran');
    const id = await untilAsked(stack);
    expect((await stack.cli(['approve', id])).code).toBe(0);
    expect(await shown).toBe(`clawrden: waiting for approval ${id}\r\nran\r\n`);
    const quiet = typed(agent(), ['mirrored', ': ask; echo ran']);
    expect((await stack.cli(['approve', await untilAsked(stack)])).code).toBe(0);
    expect(await quiet).toMatchObject({ code: 0, stderr: '' });
  });

  test('neither counts against the time to run', async () => {
    const giveBack = await occupy();
    const queued = typed(agent(), ['ghostly', ': brief; echo ran']);
    await untilQueued();
    await sleep(1500);
    await giveBack();
    expect(await queued).toMatchObject({ code: 0, stdout: Buffer.from('ran\n'), stderr: '' });
    const asked = typed(agent(), ['mirrored', ': ask brief; echo ran']);
    const id = await untilAsked(stack);
    await sleep(1500);
    expect((await stack.cli(['approve', id])).code).toBe(0);
    expect(await asked).toMatchObject({ code: 0, stdout: Buffer.from('ran\n'), stderr: '' });
    const late = await typed(agent(), ['ghostly', ': brief; echo began; sleep 60']);
    expect([late.code, late.stderr]).toEqual([124, expect.stringMatching(/^clawrden: run-timeout: /)]);
  });

  test('a start: start-timeout has its own clock', async () => {
    const file = join(stack.dir, 'warden/gateway.yaml');
    const text = await readFile(file, 'utf8');
    await stack.gateway.end('SIGTERM');
    await writeFile(file, text.replace('limits:\n', 'limits:\n  start-timeout: 1ms\n'));
    await stack.startGateway();
    const { code, stdout, stderr } = await typed(agent(), ['ghostly', 'echo ran']);
    expect([code, stdout.toString()]).toEqual([125, '']);
    expect(stderr).toMatch(/^clawrden: start-timeout: .*\n$/);
    expect(await typed(agent(), ['mirrored', 'exit 3'])).toMatchObject({ code: 3, stderr: '' });
  });
});
