import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasTmux, openTerminal } from '../cli/terminal.ts';
import { attempt } from '../lab/command.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { launcher } from '../stack/launcher.ts';
import { second } from '../stack/second-person.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
environment: { allow: [LANG] }
tools:
  ls: { strategy: mirror }
  sh: { strategy: ghost, image: "clawrden-lab/busybox:latest", timeout: 30s }
  cat: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  id: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
  rm: { strategy: ghost, image: "clawrden-lab/busybox:latest" }
rules:
  - { name: look, tools: [ls, cat, id], action: allow }
  - { name: script, tools: [sh], args: ["-c", "*"], runs-anything: true, action: allow }
  - { name: ask, tools: [rm], action: ask, reason: "deletes" }
complete: true
`;

describe.skipIf(!hasLab())('an orchestrator', () => {
  let stack: Stack;
  let context: string;
  beforeAll(async () => {
    const extra = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    const agents = { coder: { container: { extra } } };
    stack = await startStack(sharedLab(), { name: 'orch', policy, agents });
    context = join(stack.dir, 'context.yaml');
  });
  afterAll(() => stack?.stop());

  const exec = (args: readonly string[], input = '') =>
    stack.cli(['exec', '--agent', 'coder', ...args], { input });

  test("runs a tool as the agent's user, in its workspace, and gets its output and exit code", async () => {
    expect(await exec(['--', 'id', '-u'])).toMatchObject({ code: 0, stdout: '1000\n', stderr: '' });
    const script = 'pwd; echo oops >&2; exit 7';
    expect(await exec(['--', 'sh', '-c', script])).toMatchObject({
      code: 7,
      stdout: '/app\n',
      stderr: 'oops\n',
    });
  });

  test('feeds standard input to its end', async () => {
    const input = 'line\n'.repeat(200_000);
    const { code, stdout } = await exec(['--', 'cat'], input);
    expect([code, stdout === input]).toEqual([0, true]);
  });

  test('is refused what only the agent itself may have run, and what the policy does not know', async () => {
    expect(await exec(['--', 'ls'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs-agent'),
    });
    expect(await exec(['--', 'nmap'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tool-unknown'),
    });
    expect(await exec(['--cwd', '/etc', '--', 'id'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cwd-outside'),
    });
  });

  test('sends its signals to the tool, and dies as the tool dies', async () => {
    const run = (script: string) => {
      const args = ['--context', context, 'exec', '--agent', 'coder', '--', 'sh', '-c', script];
      return spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    };
    const trapping = run('trap "echo got; exit 3" TERM; echo up; while :; do sleep 0.1; done');
    await once(trapping.stdout, 'data');
    trapping.kill('SIGTERM');
    expect(await once(trapping, 'exit')).toEqual([3, null]);
    const dying = run('echo up; exec sleep 60');
    await once(dying.stdout, 'data');
    dying.kill('SIGINT');
    expect(await once(dying, 'exit')).toEqual([null, 'SIGINT']);
  });

  test.skipIf(!hasTmux)('has a shell with job control and vi in a terminal of the tool’s own', async () => {
    await using terminal = await openTerminal();
    const run = (script: string) =>
      terminal.type(
        `clear; ${process.execPath} ${launcher} exec --context ${context} --agent coder --tty -- sh -c '${script}'; echo left $?`,
        'Enter',
      );
    await run('stty size; PS1="in$ " exec sh -i');
    await terminal.shows(/^30 100\n[^]*in\$\n*$/);
    await terminal.type('sh -c "echo begun; exec sleep 100"', 'Enter');
    await terminal.shows(/^begun$/m);
    await terminal.type('C-z');
    await terminal.shows(/Stopped[^]*in\$\n*$/);
    await terminal.type('fg; echo "then $?"', 'Enter');
    await terminal.shows(/fg; .*\nsh -c .*\n*$/);
    await terminal.type('C-c');
    await terminal.shows(/^\^C\n(then 130\n)?in\$\n*$/m);
    await terminal.type('exit 5', 'Enter');
    await terminal.shows(/left 5\n/);
    await run('exec vi /app/typed');
    await terminal.shows(/^- .app.typed/m);
    await terminal.type('i');
    await terminal.shows(/^I .app.typed/m);
    await terminal.type('by hand');
    await terminal.shows(/^by hand$/m);
    await terminal.type('Escape');
    await terminal.shows(/^- .app.typed/m);
    await terminal.type(':wq', 'Enter');
    await terminal.shows(/left 0\n/);
    expect(await readFile(join(stack.workspaceOf('coder'), 'typed'), 'utf8')).toBe('by hand\n');
  });

  test('A-82: waits for another person if the policy says so', async () => {
    const running = exec(['--', 'rm', '-rf', '/app/nothing']);
    let id = '';
    while (id === '') {
      const pending = JSON.parse((await stack.cli(['pending', '--json'])).stdout) as { id: string }[];
      id = pending[0]?.id ?? '';
    }
    expect(await stack.cli(['approve', id.slice(0, 8)])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('person:admin asked for it; somebody else has to approve it'),
    });
    const ofBob = join(stack.dir, `${second}.yaml`);
    const bob = (...args: string[]) => attempt([process.execPath, launcher, '--context', ofBob, ...args]);
    // The beginning of an id counts only among those that this person was shown.
    expect((await bob('pending', '--json')).stdout).toContain(id);
    expect(await bob('approve', id.slice(0, 8))).toMatchObject({ code: 0, stderr: '' });
    expect(await running).toMatchObject({ code: 0 });
    const [newest] = JSON.parse((await stack.cli(['history', '--json'])).stdout) as { id: string }[];
    const shown = await stack.cli(['show', newest?.id ?? '']);
    expect(shown.stdout).toMatch(/approver +person:bob/);
    expect(shown.stdout).toMatch(/decision +ask by ask/);
  });

  test('is told by doctor what is well, and that its policy is not', async () => {
    const args = [
      '--config',
      join(stack.dir, 'warden/gateway.yaml'),
      '--relay',
      join(stack.dir, 'relay/relay.yaml'),
    ];
    const { code, stdout } = await stack.cli(['doctor', '--json', ...args]);
    const findings = JSON.parse(stdout) as { check: string; level: string; text: string }[];
    // The policy of this test lets a shell run anything, and the doctor says so.
    const errors = findings.filter(({ level }) => level === 'error');
    expect(errors.map(({ check, text }) => `${check}: ${text}`)).toEqual([
      expect.stringMatching(/^policy: /),
    ]);
    expect(code).toBe(1);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['engine', 'host build-1', 'agent coder', 'clock', 'gateway']),
    );
  });
});
