import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, listed, untilNoGhosts } from './life.ts';
import { type Typing, type, typed } from './typed.ts';

/** Two hosts with a place each. */
describe.skipIf(!hasLab())('commands on a pool of two', () => {
  let stack: Stack;
  const agent = () => stack.agents.pooled!;

  beforeAll(async () => {
    const host = { slots: 1, warm: 0 };
    stack = await startStack(sharedLab(), {
      name: 'pool',
      policy: lifePolicy(),
      agents: { pooled: {} },
      host,
    });
  });
  afterAll(() => stack?.stop());

  async function running(script: string): Promise<Typing> {
    const typing = await type(agent(), ['ghostly', `echo on; ${script}`]);
    await typing.said('on');
    return typing;
  }

  async function places(): Promise<string[]> {
    return (await listed(stack, 'ps')).filter(({ state }) => state === 'running').map(({ host }) => host);
  }

  test('two run on two hosts, a third waits and then runs', async () => {
    const first = await running('while [ ! -e /app/first ]; do sleep 0.1; done');
    const second = await running('sleep 300');
    expect((await places()).sort()).toEqual([...stack.hosts]);
    const third = await type(agent(), ['ghostly', 'echo third']);
    const queued = async () => (await listed(stack, 'ps')).some(({ state }) => state === 'queued');
    await waitUntil('the third to wait', 20_000, queued);
    await writeFile(join(stack.workspaceOf('pooled'), 'first'), '');
    expect(await third.ended).toMatchObject({ code: 0, stderr: '' });
    expect((await first.ended).code).toBe(0);
    await second.signal('SIGTERM');
    expect(await second.ended).toMatchObject({ signal: 'SIGTERM' });
  });

  test('an engine that is killed: 125 host-lost there, the other goes on and takes what is new', async () => {
    const one = await running('sleep 300');
    const [place] = await places();
    const two = await running('while [ ! -e /app/two ]; do sleep 0.1; done; exit 5');
    const host = sharedLab().hosts.find(({ name }) => name === place)!;
    await host.kill();
    try {
      const { code, stderr } = await one.ended;
      expect([code, stderr]).toEqual([125, expect.stringMatching(/^clawrden: host-lost: .*\n$/)]);
      await writeFile(join(stack.workspaceOf('pooled'), 'two'), '');
      expect(await two.ended).toMatchObject({ code: 5, stderr: '' });
      const others = await Promise.all([1, 2].map((status) => typed(agent(), ['ghostly', `exit ${status}`])));
      expect(others).toMatchObject([{ code: 1 }, { code: 2 }]);
      const history = await listed(stack, 'history');
      expect(history.slice(0, 2).every((execution) => execution.host !== place)).toBe(true);
    } finally {
      await host.restart();
    }
    await untilNoGhosts(sharedLab(), 'pooled', 20_000);
    const ready = async () => (await listed(stack, 'hosts')).every(({ state }) => state === 'ready');
    await waitUntil('the host to be ready again', 20_000, ready);
    const both = [await running('sleep 300'), await running('sleep 300')];
    expect((await places()).sort()).toEqual([...stack.hosts]);
    for (const typing of both) await typing.signal('SIGKILL');
  });
});
