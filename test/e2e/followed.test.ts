import { chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { ghostly } from './followed-home.ts';

const policy = ghostly({
  rules: [
    '{ name: readers, tools: [ghostly], args: [": read*"], action: allow, workspace: read }',
    '{ name: strangers, tools: [ghostly], args: [": none*"], action: allow, workspace: none }',
    '{ name: live, tools: [ghostly], args: [": live*"], action: allow, live: 200ms }',
    '{ name: brief, tools: [ghostly], args: [": brief*"], action: allow, timeout: 1s }',
  ],
});

describe.skipIf(!hasLab())('a workspace that no Docker host sees', () => {
  let stack: Stack;
  let home: string;
  beforeAll(async () => {
    stack = await startStack(sharedLab(), {
      name: 'followed',
      policy,
      // The relay of `silent` does not run here, so its home never answers.
      agents: { coder: { followed: {} }, silent: { followed: {}, elsewhere: true } },
      host: { slots: 2 },
    });
    home = stack.workspaceOf('coder');
  });
  afterAll(() => stack?.stop());

  const sh = (script: string) => stack.agents['coder']!.exec(['/clawrden/bin/ghostly', script]);
  const write = async (name: string, text: string) => {
    await writeFile(join(home, name), text);
    await chown(join(home, name), 1000, 1000);
  };
  /** Runs `work` while only `host` takes commands. */
  async function only(host: string, work: () => Promise<void>): Promise<void> {
    const others = stack.hosts.filter((name) => name !== host);
    for (const name of others) await stack.cli(['drain', name]);
    await work();
    for (const name of others) await stack.cli(['undrain', name]);
  }

  test('12: what was there before the command is there, and what it wrote is home before its exit code', async () => {
    await write('in', 'from home');
    const script = 'cat in; mkdir -p made/deep; echo x > made/deep/file; ln -sf in link; rm in; exit 3';
    expect(await sh(script)).toMatchObject({ stdout: 'from home', stderr: '', code: 3 });
    const names = await readdir(home);
    expect(names.filter((name) => name !== '.clawrden').sort()).toEqual(['link', 'made']);
    const { uid, gid } = await stat(join(home, 'made/deep/file'));
    expect([uid, gid]).toEqual([1000, 1000]);
  });

  test('12: a command on another host sees what the one before wrote', async () => {
    const [first, second] = stack.hosts as [string, string];
    await only(first, async () => {
      expect(await sh('echo one > passed')).toMatchObject({ code: 0 });
    });
    await only(second, async () => {
      expect(await sh('cat passed; echo two >> passed')).toMatchObject({ stdout: 'one\n', code: 0 });
    });
    await only(first, async () => {
      expect(await sh('cat passed')).toMatchObject({ stdout: 'one\ntwo\n', code: 0 });
    });
    expect(await readFile(join(home, 'passed'), 'utf8')).toBe('one\ntwo\n');
  });

  test('A-628 P13: no command fails for a reset of its workspace on a host, which waits for it or goes before it', async () => {
    const [first] = stack.hosts as [string];
    await write('stays', 'here');
    await only(first, async () => {
      const resets: string[] = [];
      let isOver = false;
      const typing = async () => {
        const said = new Set<string>();
        for (let pause = 0; !isOver; pause = (pause + 70) % 500) {
          await sleep(pause);
          const { stdout, stderr } = await sh('cat stays');
          said.add(stdout + stderr);
        }
        return [...said];
      };
      const typed = typing();
      while (resets.filter((text) => text === '').length < 8) {
        const { code, stderr } = await stack.cli(['workspace', 'reset', 'coder', first]);
        resets.push(code === 0 ? '' : stderr);
      }
      isOver = true;
      expect(await typed).toEqual(['here']);
      for (const text of new Set(resets)) expect(text).toMatch(/^$|works in the replica/);
    });
  });

  test('12: of a file that both changed the agent’s stays, the command says so, and the tool’s is kept', async () => {
    await write('both', 'before');
    const running = sh('sleep 3; echo tool > both');
    await waitUntil('the command to run', 10_000, async () => {
      const { stdout } = await stack.cli(['ps', '--json']);
      return stdout.includes('"running"');
    });
    await write('both', 'agent');
    const { code, stderr } = await running;
    expect(code).toBe(125);
    expect(stderr).toMatch(/^clawrden: workspace-conflict: 1 file was changed here meanwhile; yours stay/);
    expect(await readFile(join(home, 'both'), 'utf8')).toBe('agent');
    expect(await sh('cat both')).toMatchObject({ stdout: 'agent', code: 0 });
  });

  test('12: a tool that may only read changes nothing, and one that may not even that sees nothing', async () => {
    await write('seen', 'here');
    const reader = await sh(': read; cat seen; echo x > seen');
    expect(reader).toMatchObject({ stdout: 'here', code: 1 });
    expect(reader.stderr).toContain('Read-only file system');
    const stranger = await sh(': none; pwd; ls /app');
    expect(stranger).toMatchObject({ stdout: '/tmp\n', stderr: '', code: 0 });
    expect(await readFile(join(home, 'seen'), 'utf8')).toBe('here');
  });

  test('12: with live, changes go both ways while the tool runs', async () => {
    const running = sh(
      ': live; echo up > from-tool; while ! [ -e from-agent ]; do sleep 0.1; done; cat from-agent',
    );
    const up = () =>
      readFile(join(home, 'from-tool'), 'utf8').then(
        (text) => text === 'up\n',
        () => false,
      );
    await waitUntil('the tool’s file at home', 20_000, up);
    await write('from-agent', 'hello');
    expect(await running).toMatchObject({ stdout: 'hello', code: 0 });
  });

  test('12: what a tool wrote that ran out of time is home, too', async () => {
    expect(await sh(': brief; echo half > half-done; sleep 30')).toMatchObject({ code: 124 });
    expect(await readFile(join(home, 'half-done'), 'utf8')).toBe('half\n');
  });

  test('12: an orchestrator’s command sees the workspace, and leaves what it wrote there', async () => {
    await write('for-exec', 'seen');
    const argv = ['exec', '--agent', 'coder', '--', 'ghostly', 'cat for-exec; echo done > by-exec'];
    expect(await stack.cli(argv)).toMatchObject({ stdout: 'seen', code: 0 });
    expect(await readFile(join(home, 'by-exec'), 'utf8')).toBe('done\n');
  });

  test('12 P19: what a killed agent’s tool wrote does not come home; it is told at the next command', async () => {
    const running = sh('echo x > killed; sleep 60');
    const runs = async () => (await stack.cli(['ps', '--json'])).stdout.includes('"running"');
    await waitUntil('the command to run', 10_000, runs);
    expect(await stack.cli(['kill', 'coder', '--reason', 'a test'])).toMatchObject({ code: 0 });
    expect((await running).code).not.toBe(0);
    expect(await readdir(home)).not.toContain('killed');
    expect(await stack.cli(['resume', 'coder'])).toMatchObject({ code: 0 });
    for (const host of stack.hosts) {
      await only(host, async () => {
        const argv = ['exec', '--agent', 'coder', '--', 'ghostly', 'ls killed'];
        expect(await stack.cli(argv)).toMatchObject({ code: 1 });
      });
    }
    expect(await readdir(home)).not.toContain('killed');
    const late = (await stack.audit()).filter(({ incident }) => incident === 'workspace-late');
    expect(late).toHaveLength(1);
  });

  test('A-97 P20: an agent whose home does not answer holds up no other agent', async () => {
    let ended = 0;
    const silent = Array.from({ length: 6 }, async () => {
      await stack.cli(['exec', '--agent', 'silent', '--', 'ghostly', 'true']);
      ended += 1;
    });
    await waitUntil('them to wait', 9000, async () => {
      const { stdout } = await stack.cli(['ps', '--json']);
      return stdout.split('"silent"').length > 4;
    });
    expect(await stack.cli(['exec', '--agent', 'coder', '--', 'ghostly', 'echo served'])).toMatchObject({
      stdout: 'served\n',
      code: 0,
    });
    expect(ended).toBe(0);
    await stack.cli(['kill', 'silent']);
    await Promise.all(silent);
  });
});
