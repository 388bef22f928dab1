import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeImage } from '../lab/images/catalogue.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 2m
tools:
  perl: { strategy: ghost, image: "${nodeImage}", memory: 128m, isolation: session }
rules: [{ name: all, tools: [perl], action: allow }]
complete: true
`;

/** Opens as many terminals as there are, says how many, and keeps them for so many seconds. */
const take = (seconds: number) =>
  `my @all; while (open(my $m, "+<", "/dev/ptmx")) { push @all, $m; last if @all > 5000 } print scalar(@all), " $!\\n"; sleep ${seconds}`;

describe.skipIf(!hasLab())('pseudo-terminals of a Docker host', () => {
  let stack: Stack;
  let host: LabHost;
  beforeAll(async () => {
    const lab = sharedLab();
    host = lab.hosts[0]!;
    stack = await startStack(lab, { name: 'ptys', policy, agents: { coder: {}, other: {} } });
    await stack.cli(['drain', lab.hosts[1]!.name]);
  });
  afterAll(() => stack?.stop());

  const atTerminal = (agent: string, code: string) =>
    sharedLab().agentHost.docker([
      'exec',
      '--tty',
      stack.agents[agent]!.name,
      '/clawrden/bin/perl',
      '-e',
      code,
    ]);
  const perl = (agent: string, code: string) => stack.agents[agent]!.exec(['/clawrden/bin/perl', '-e', code]);
  const anonymous = async () =>
    (await host.docker(['volume', 'ls', '-q'])).stdout
      .split('\n')
      .filter((name) => /^[0-9a-f]{64}$/.test(name));

  test('A-610 P20: one container takes 64 of them, works as any does with a terminal, and leaves no volume', async () => {
    const before = await anonymous();
    const taken = await perl('coder', take(0));
    expect(taken).toMatchObject({ code: 0, stdout: '64 No space left on device\n' });
    expect((await anonymous()).length).toBeGreaterThan(before.length);
    const tty =
      'open(my $t, "+<", "/dev/tty") or die "$!"; print -t STDIN ? "terminal" : "none", " ", (stat "/dev/pts/0")[4]';
    expect(await atTerminal('coder', tty)).toMatchObject({ code: 0, stdout: 'terminal 1000' });
    for (const agent of ['coder', 'other']) await stack.cli(['session', 'reset', agent]);
    await waitUntil('no volume to be left', 15_000, async () => (await anonymous()).length === before.length);
  });

  test('A-610 P20: while a session’s background holds all of its own, another agent has its', async () => {
    const background = `unless (fork) { close STDOUT; close STDERR; close STDIN; ${take(60)} } sleep 2`;
    expect(await perl('coder', background)).toMatchObject({ code: 0 });
    expect(await atTerminal('other', 'print -t STDIN')).toMatchObject({ code: 0, stdout: '1' });
    const own = await atTerminal('coder', '1');
    expect(own.code).toBe(125);
    expect(own.stdout + own.stderr).toContain('clawrden: no-host: no terminal can be made');
  });
});
