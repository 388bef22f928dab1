import { availableParallelism, loadavg } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { ghostsOf, lifePolicy } from './life.ts';
import { processesOf, type Typing, type, typed } from './typed.ts';

const ghosts = 20;
const mirrors = 5;
/** One tool of each kind ignores TERM, and one leaves its process group and its parent. */
const stubborn = 'trap "" TERM INT HUP; echo on; while :; do sleep 1; done';
const runaway = '(setsid sh -c "sleep 301" &) ; echo on; sleep 300';
const plain = 'echo on; sleep 300';

describe.skipIf(!hasLab())('the kill switch', () => {
  let stack: Stack;
  const agent = () => stack.agents.suspect!;

  beforeAll(async () => {
    const host = { slots: ghosts, warm: 0 };
    const agents = { suspect: {}, bystander: {} };
    stack = await startStack(sharedLab(), { name: 'kill', policy: lifePolicy(), agents, host });
  });
  afterAll(() => stack?.stop());

  function scriptOf(index: number): string {
    return [stubborn, runaway][index] ?? plain;
  }

  async function started(shell: string, count: number): Promise<Typing[]> {
    const typings = await Promise.all(
      Array.from({ length: count }, (_, index) => type(agent(), [shell, scriptOf(index)])),
    );
    await Promise.all(typings.map((typing) => typing.said('on')));
    return typings;
  }

  const state = async () => {
    const { stdout } = await sharedLab().agentHost.docker([
      'inspect',
      '--format',
      '{{.State.Status}}',
      agent().name,
    ]);
    return stdout.trim();
  };

  async function refused(code: string): Promise<void> {
    const answer = await stack.cli(['exec', '--agent', 'suspect', '--', 'ghostly', 'echo ran']);
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain(`clawrden: ${code}: `);
  }

  /**
   * Gives an order that must be carried out, and confirmed, within the 2 s that the gateway waits before it answers.
   * Where the machine has other work the order takes longer, in proportion, and the answer says what is not confirmed.
   */
  async function halt(order: 'pause' | 'kill', left: () => Promise<boolean>): Promise<void> {
    const answer = await stack.cli([order, 'suspect', '--json']);
    const slowness = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
    if (slowness < 2) expect(answer).toMatchObject({ code: 0, stderr: '' });
    await waitUntil(`${order} to be carried out`, 2000 * (slowness - 1), async () => {
      return (await ghostsOf(sharedLab(), 'suspect')).length === 0 && !(await left());
    });
  }

  async function works(name: 'suspect' | 'bystander'): Promise<boolean> {
    const both = ['ghostly', 'mirrored'].map((shell) => typed(stack.agents[name]!, [shell, 'exit 4']));
    return (await Promise.all(both)).every(({ code }) => code === 4);
  }

  test('A-72: pause ends the work, freezes the agent, and is lifted', async () => {
    const idle = (await processesOf(agent())).length;
    const typings = [...(await started('ghostly', 2)), ...(await started('mirrored', 3))];
    await halt('pause', async () => (await processesOf(agent())).length > idle);
    for (const typing of typings) expect(await typing.ended).toMatchObject({ code: 125 });
    expect(await state()).toBe('paused');
    await refused('agent-paused');
    expect(await works('bystander')).toBe(true);
    expect((await stack.cli(['resume', 'suspect'])).code).toBe(0);
    await waitUntil('the agent to go on', 15_000, async () => (await state()) === 'running');
    expect(await works('suspect')).toBe(true);
  });

  test('A-72: kill ends 20 ghosts and 5 mirrors, the agent too, and holds over a restart', {
    timeout: 120_000,
  }, async () => {
    const typings = [...(await started('ghostly', ghosts)), ...(await started('mirrored', mirrors))];
    expect(await ghostsOf(sharedLab(), 'suspect')).toHaveLength(ghosts);
    await halt('kill', async () => (await processesOf(agent())).length > 0);
    await Promise.all(typings.map((typing) => typing.ended));
    expect(await state()).toBe('exited');
    await refused('agent-killed');
    await stack.gateway.end('SIGKILL');
    await stack.startGateway();
    await refused('agent-killed');
    const controls = (await stack.audit()).filter((line) => line.type === 'control');
    expect(controls.at(-1)).toMatchObject({ agent: 'suspect', state: 'killed', by: 'operator:admin' });
    expect((await stack.cli(['resume', 'suspect'])).code).toBe(0);
    await sharedLab().agentHost.docker(['start', agent().name]);
    expect(await works('suspect')).toBe(true);
  });

  test('A-72: lockdown stops every agent', async () => {
    expect((await stack.cli(['lockdown', 'on'])).code).toBe(0);
    await refused('agent-paused');
    await waitUntil('the agent to freeze', 5000, async () => (await state()) === 'paused');
    expect((await stack.cli(['lockdown', 'off'])).code).toBe(0);
    await waitUntil('the agent to go on', 15_000, async () => (await state()) === 'running');
    expect(await works('suspect')).toBe(true);
    expect(await works('bystander')).toBe(true);
  });
});
