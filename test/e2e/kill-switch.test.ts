import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { run } from '../lab/command.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { untilHost } from './fleet.ts';
import { ghostsOf, lifePolicy, listed, untilNoGhosts } from './life.ts';
import { processesOf, type Typing, type, typed } from './typed.ts';

const ghosts = 20;
const mirrors = 5;
/** One tool of each kind ignores TERM, and one leaves its process group and its parent. */
const stubborn = 'trap "" TERM INT HUP; echo on; while :; do sleep 1; done';
const runaway = '(setsid sh -c "sleep 301" &) ; echo on; sleep 300';
const plain = 'echo on; sleep 300';

describe.skipIf(!hasLab())('the kill switch', () => {
  let lab: Lab;
  let stack: Stack;
  const agent = () => stack.agents.suspect!;

  beforeAll(async () => {
    lab = await startLab({ hosts: 3 });
    // Twenty fit on three engines, but on no two of them.
    const host = { slots: 8, warm: 0 };
    const agents = { suspect: {}, bystander: {} };
    const tools = `  cat: { strategy: ghost, image: "clawrden-lab/busybox:latest", timeout: 30s }`;
    stack = await startStack(lab, { name: 'kill', policy: lifePolicy({ tools }), agents, host });
  }, 180_000);
  afterAll(async () => {
    await stack?.stop();
    await lab?.stop();
  });

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
    const { stdout } = await lab.agentHost.docker(['inspect', '--format', '{{.State.Status}}', agent().name]);
    return stdout.trim();
  };

  async function refused(code: string): Promise<void> {
    const answer = await stack.cli(['exec', '--agent', 'suspect', '--', 'ghostly', 'echo ran']);
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toContain(`clawrden: ${code}: `);
  }

  /**
   * Gives an order that must be carried out and confirmed within the 2 s that the gateway waits before it answers. If
   * the machine has other work, the order may take longer, in proportion, and the answer says what is not confirmed.
   */
  async function halt(order: 'pause' | 'kill', left: () => Promise<boolean>): Promise<void> {
    const answer = await stack.cli([order, 'suspect', '--json']);
    const slowness = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
    if (slowness < 2) expect(answer).toMatchObject({ code: 0, stderr: '' });
    await waitUntil(`${order} to be carried out`, 2000 * (slowness - 1), async () => {
      return (await ghostsOf(lab, 'suspect')).length === 0 && !(await left());
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
    expect(await ghostsOf(lab, 'suspect')).toHaveLength(ghosts);
    const used = (await listed(stack, 'ps')).map(({ host }) => host);
    expect(used).toEqual(expect.arrayContaining(lab.hosts.map(({ name }) => name)));
    await halt('kill', async () => (await processesOf(agent())).length > 0);
    await Promise.all(typings.map((typing) => typing.ended));
    expect(await state()).toBe('exited');
    await refused('agent-killed');
    await stack.gateway.end('SIGKILL');
    await stack.startGateway();
    await refused('agent-killed');
    const controls = (await stack.audit()).filter((line) => line.type === 'control');
    expect(controls.at(-1)).toMatchObject({ agent: 'suspect', state: 'killed', by: 'person:admin' });
    expect((await stack.cli(['resume', 'suspect'])).code).toBe(0);
    await lab.agentHost.docker(['start', agent().name]);
    expect(await works('suspect')).toBe(true);
  });

  test('P19: a host that cannot be reached is named, and what runs there ends at its own deadline', {
    timeout: 120_000,
  }, async () => {
    const pipe = `pipe-${randomUUID()}`;
    await run(['mkfifo', '--mode=666', join(stack.workspaceOf('suspect'), pipe)]);
    const typing = await type(agent(), ['cat', `/app/${pipe}`]);
    const { id, host: name } = await untilRunning();
    const host = lab.hosts.find((each) => each.name === name)!;
    const runs = async () => (await host.commandsRunning()).includes(`cat /app/${pipe}`);
    await host.cut();
    try {
      const answer = await stack.cli(['kill', 'suspect']);
      expect(answer.code).toBe(1);
      expect(answer.stderr).toMatch(
        new RegExp(`^clawrden: kill: not confirmed to be gone: ${id} on ${name}; `),
      );
      await typing.ended;
      await refused('agent-killed');
      expect(await runs()).toBe(true);
      await untilHost(stack, name, (known) => known?.state === 'down');
      // Its execution ended long ago.
      const again = await stack.cli(['kill', 'suspect', '--json']);
      expect(await runs()).toBe(true);
      expect(JSON.parse(again.stdout)).toMatchObject({ stopped: 0, unconfirmed: [`${id} on ${name}`] });
      await waitUntil('the ghost to end by itself', 40_000, async () => !(await runs()));
    } finally {
      await host.heal();
    }
    await untilHost(stack, name, (known) => known?.state === 'ready', 40_000);
    await untilNoGhosts(lab, 'suspect', 40_000);
    expect((await stack.cli(['resume', 'suspect'])).code).toBe(0);
    await lab.agentHost.docker(['start', agent().name]);
    expect(await works('suspect')).toBe(true);
  });

  async function untilRunning(): Promise<{ readonly id: string; readonly host: string }> {
    const [found] = await vi.waitFor(
      async () => {
        const running = (await listed(stack, 'ps')).filter((each) => each.state === 'running');
        expect(running).toHaveLength(1);
        return running;
      },
      { timeout: 20_000, interval: 100 },
    );
    return found!;
  }

  test('A-72: lockdown stops every agent', async () => {
    expect((await stack.cli(['lockdown', 'on'])).code).toBe(0);
    await refused('agent-paused');
    await waitUntil('the agent to freeze', 5000, async () => (await state()) === 'paused');
    expect((await stack.cli(['lockdown', 'off'])).code).toBe(0);
    await waitUntil('the agent to go on', 15_000, async () => (await state()) === 'running');
    expect(await works('suspect')).toBe(true);
    expect(await works('bystander')).toBe(true);
  });

  /** Keeps the first process from its processor, with what its user may ask for; says how often it was refused. */
  const starver = `
    #define _GNU_SOURCE
    #include <sched.h>
    #include <stdio.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int main(void) {
        struct sched_param none = {0};
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(1, &one);
        int refused = (syscall(SYS_sched_setscheduler, 1, SCHED_IDLE, &none) < 0) + (sched_setaffinity(1, sizeof one, &one) < 0);
        sched_setaffinity(0, sizeof one, &one);
        for (int n = 0; n < 200; n++)
            if (fork() == 0)
                for (alarm(40);;)
                    ;
        printf("on, refused %d\\n", refused);
        fflush(stdout);
        sleep(40);
    }`;

  test('A-617 P19: a tool cannot keep its ghost from ending, and nothing runs of an agent that keeps its container from it', {
    timeout: 120_000,
  }, async () => {
    const program = join(stack.workspaceOf('suspect'), 'starve');
    await writeFile(`${program}.c`, starver);
    await run(['musl-gcc', '-static', '-o', program, `${program}.c`]);
    const [ghost, mirror] = await Promise.all(
      ['ghostly', 'mirrored'].map((shell) => type(agent(), [shell, 'exec /app/starve'])),
    );
    expect(await ghost!.said('on, refused')).toContain('refused 2');
    expect(await mirror!.said('on, refused')).toContain('refused 0');
    await stack.cli(['kill', 'suspect']);
    await waitUntil('the ghosts to end', 5000, async () => (await ghostsOf(lab, 'suspect')).length === 0);
    // Whether its first process gets to its end is the scheduler's choice.
    await waitUntil('the agent to end or freeze', 5000, async () => (await state()) !== 'running');
    await lab.agentHost.docker(['rm', '-f', agent().name]);
  });
});
