import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { untilHost } from './fleet.ts';
import { untilAsked } from './life.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  sh: { strategy: ghost, image: "clawrden-lab/busybox:latest", isolation: session }
rules:
  - { name: any, tools: [sh], args: ["-c", "**"], runs-anything: true, action: allow }
  - { name: asked, tools: [sh], args: ["/**"], action: ask }
complete: true
`;

describe.skipIf(!hasLab())('sessions, their workspaces and their ends', () => {
  let lab: Lab;
  let stack: Stack;
  beforeAll(async () => {
    lab = sharedLab();
    const gateway = { session: { idle: '8s' } };
    stack = await startStack(lab, {
      ...{ name: 'sessionends', policy, gateway },
      agents: { coder: {}, followed: { followed: {} } },
    });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
  });

  const run = (script: string, agent = 'coder') =>
    stack.agents[agent]!.exec(['/clawrden/bin/sh', '-c', script]);
  const sessionsOn = async (index: number) => {
    const list = ['ps', '-aq', '--filter', 'name=clawrden-session-'];
    return (await lab.hosts[index]!.docker(list)).stdout.split('\n').filter(Boolean);
  };
  const all = async () => [...(await sessionsOn(0)), ...(await sessionsOn(1))];

  test('12: the replica of a workspace is in the session: what was at home is there, and what it wrote is home', async () => {
    const home = stack.workspaceOf('followed');
    await writeFile(join(home, 'in'), 'from home');
    await chown(join(home, 'in'), 1000, 1000);
    expect(await run('cat in; echo one >out; echo kept >$HOME/x', 'followed')).toMatchObject({
      ...{ code: 0, stdout: 'from home' },
    });
    expect(await readFile(join(home, 'out'), 'utf8')).toBe('one\n');
    await writeFile(join(home, 'out'), 'two\n');
    expect(await run('cat out $HOME/x', 'followed')).toMatchObject({ code: 0, stdout: 'two\nkept\n' });
  });

  test('A-333: what a command left in the background wrote comes home with the next command', async () => {
    expect(await run('(sleep 1; echo x >late) & :', 'followed')).toMatchObject({ code: 0 });
    // Only a command could ask whether it is written, and that must be the next one.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(await run('cat late', 'followed')).toMatchObject({ code: 0, stdout: 'x\n' });
    expect(await readFile(join(stack.workspaceOf('followed'), 'late'), 'utf8')).toBe('x\n');
  });

  test('P9 a script that only the session has is what a person is asked about, and what runs', async () => {
    const script = '/home/ghost/job.sh';
    await run(`echo 'echo approved; exit 5' >${script}`);
    const asking = stack.agents.coder!.exec(['/clawrden/bin/sh', script]);
    const id = await untilAsked(stack);
    const shown = await stack.cli(['show', id]);
    expect(shown.stdout).toContain('sha256');
    expect(shown.stdout).toContain("in the agent's session of");
    expect(await stack.cli(['approve', id])).toMatchObject({ code: 0 });
    expect(await asking).toMatchObject({ code: 5, stdout: 'approved\n' });
  });

  test('nothing is left of a session that nobody uses; one whose processes work is kept', async () => {
    const { stdout: worker } = await run('(while :; do :; done) & echo $!');
    await waitUntil('the other session to end', 60_000, async () => (await all()).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    expect(await all()).toHaveLength(1);
    expect(await run(`kill ${worker}`)).toMatchObject({ code: 0 });
    await waitUntil('the session to end', 60_000, async () => (await all()).length === 0);
  });

  test('A-268 a host that is lost leaves none: its commands end, the next one is elsewhere, and it comes back empty', async () => {
    const running = run('echo kept >$HOME/x; sleep 50');
    let at = -1;
    await waitUntil('a session', 30_000, async () => {
      const found = [await sessionsOn(0), await sessionsOn(1)];
      at = found.findIndex((each) => each.length > 0);
      return at !== -1;
    });
    const host = lab.hosts[at]!;
    await vi.waitFor(async () => expect((await run('cat $HOME/x')).stdout).toBe('kept\n'), {
      timeout: 20_000,
    });
    await host.kill();
    try {
      const { code, stderr } = await running;
      expect([code, stderr]).toEqual([125, expect.stringMatching(/(host|session)-lost/)]);
      const next = await run('cat $HOME/x; echo here');
      expect(next.stdout).toBe('here\n');
      expect(await sessionsOn(1 - at)).toHaveLength(1);
    } finally {
      await host.restart();
    }
    await untilHost(stack, host.name, (state) => state?.state === 'ready', 60_000);
    expect(await sessionsOn(at)).toEqual([]);
  });
});
