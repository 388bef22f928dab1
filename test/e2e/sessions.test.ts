import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';

const image = 'clawrden-lab/busybox:latest';
const anything = (name: string) =>
  `{ name: ${name}, tools: [${name}], args: ["-c", "**"], runs-anything: true, action: allow }`;
const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  sh: { strategy: ghost, image: "${image}", isolation: session }
  ash: { strategy: ghost, image: "${image}", isolation: session, timeout: 2s }
  ghostly: { strategy: ghost, image: "${image}" }
rules: [${['sh', 'ash'].map(anything).join(', ')}, { name: alone, tools: [ghostly], action: allow }]
complete: true
`;

interface Listed {
  readonly agent: string;
  readonly container: string;
  readonly host: string;
  readonly state: string;
  readonly commands: number;
}

describe.skipIf(!hasLab())('sessions', () => {
  let lab: Lab;
  let stack: Stack;
  beforeAll(async () => {
    lab = sharedLab();
    stack = await startStack(lab, { name: 'sessions', policy, agents: { coder: {}, other: {} } });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
  });

  const run = (script: string, tool = 'sh', agent = 'coder') =>
    stack.agents[agent]!.exec([`/clawrden/bin/${tool}`, ...(tool === 'ghostly' ? [] : ['-c']), script]);
  const listed = async (): Promise<Listed[]> => {
    const { stdout } = await stack.cli(['session', 'list', '--json']);
    return JSON.parse(stdout) as Listed[];
  };
  const reset = (agent = 'coder') => stack.cli(['session', 'reset', agent, '--reason', 'a test']);
  /** Containers of sessions on all engines, also those that the gateway does not know. */
  const containers = async (): Promise<string[]> => {
    const all = await Promise.all(
      lab.hosts.map((host) =>
        host.docker([
          'ps',
          '-a',
          '--no-trunc',
          '--format',
          '{{.ID}} {{.Names}}',
          '--filter',
          'name=clawrden-session-',
        ]),
      ),
    );
    return all.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean));
  };
  const counting = (file: string) => `n=1; while :; do echo $n >${file}; n=$((n + 1)); sleep 0.1; done`;
  const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 100 });
  const server = counting('/tmp/alive');

  test('keep a file in HOME and a background server between commands, and nothing else of one', async () => {
    const first = await run(`echo kept >$HOME/file; export SEEN=1; cd /tmp; umask 077; (${server}) & exit 4`);
    expect(first).toMatchObject({ code: 4, stderr: '' });
    const second = await run('cat $HOME/file; pwd; umask; echo "[$SEEN]"; cat /tmp/alive');
    const [kept, cwd, umask, seen, then] = second.stdout.split('\n');
    expect([kept, cwd, umask, seen]).toEqual(['kept', '/app', '0022', '[]']);
    await soon(async () => expect((await run('cat /tmp/alive')).stdout.trim()).not.toBe(then));
    expect(await listed()).toMatchObject([{ agent: 'coder', state: 'open', commands: 0 }]);
    expect(await containers()).toHaveLength(1);
  });

  test('A-265 two agents never share one, and a ghost beside it sees nothing of it', async () => {
    await run('echo mine >$HOME/own; echo mine >/tmp/own');
    const foreign = await run('cat $HOME/own /tmp/own', 'sh', 'other');
    expect(foreign.stdout).toBe('');
    expect((await run('cat $HOME/own /tmp/own', 'ghostly')).stdout).toBe('');
    const all = await listed();
    expect(all.map(({ agent }) => agent).sort()).toEqual(['coder', 'other']);
    expect(new Set(all.map(({ container }) => container)).size).toBe(2);
  });

  test('P14 is as hard as a ghost', async () => {
    const facts =
      'id -u; ulimit -n; grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; touch /x';
    const [kept, alone] = [await run(facts), await run(facts, 'ghostly')];
    expect(kept.stdout).toBe(alone.stdout);
    expect(kept.stdout).toMatch(/^1000\n/);
    expect(kept.stderr).toContain('Read-only');
    expect(kept.code).not.toBe(0);
  });

  test('20 commands at once in one session each get their own bytes and codes', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const script = `i=0; while [ $i -lt 50 ]; do echo "${index} $i"; i=$((i + 1)); done; sleep 0.3; exit ${index}`;
        return { index, result: await run(script) };
      }),
    );
    for (const { index, result } of all) {
      const lines = Array.from({ length: 50 }, (_, line) => `${index} ${line}\n`).join('');
      expect(result).toMatchObject({ code: index, stdout: lines, stderr: '' });
    }
    expect(await containers()).toHaveLength((await listed()).length);
  });

  test('A-266 what a command left dies with it when it runs too long, and the session lives on', async () => {
    await run('echo kept >$HOME/file');
    const late = await run(`(setsid sh -c '${counting('/tmp/late')}') & sleep 60`, 'ash');
    expect(late.code).toBe(124);
    const then = (await run('cat $HOME/file /tmp/late')).stdout;
    expect(then).toMatch(/^kept\n\d+\n$/);
    expect((await run('sleep 0.5; cat $HOME/file /tmp/late')).stdout).toBe(then);
  });

  test('A-267 a command that kills the init of another ends the session, and blames no host', async () => {
    const victim = run('echo kept >$HOME/victim; sleep 30');
    await soon(async () => expect((await run('cat $HOME/victim')).stdout).toBe('kept\n'));
    const [before] = (await listed()).filter(({ agent }) => agent === 'coder');
    // Every init but the first process and its own ancestors.
    const killer =
      'for p in /proc/[0-9]*; do n=${p#/proc/}; [ "$(cat $p/comm)" = init ] && [ $n != 1 ] && [ $n != $PPID ] && kill -9 $n; done';
    await run(killer);
    const { code, stderr } = await victim;
    expect([code, stderr]).toEqual([125, expect.stringContaining('session-lost')]);
    expect((await run('cat $HOME/victim')).stdout).toBe('');
    const [after] = (await listed()).filter(({ agent }) => agent === 'coder');
    expect(after!.container).not.toBe(before!.container);
    const { stdout } = await stack.cli(['hosts', '--json']);
    expect((JSON.parse(stdout) as { problem: string }[]).map(({ problem }) => problem)).toEqual(
      lab.hosts.map(() => ''),
    );
  });

  test('reset ends all that runs in it, and the next command has a fresh one', async () => {
    await run(`echo kept >$HOME/file; (${server}) & exit 0`);
    const waiting = run('sleep 30');
    await soon(async () =>
      expect((await listed()).find(({ agent }) => agent === 'coder')).toMatchObject({ commands: 1 }),
    );
    const before = await containers();
    expect(await reset()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 ended') });
    const { code, stderr } = await waiting;
    expect([code, stderr]).toEqual([125, expect.stringContaining('session-lost')]);
    expect(await run('cat $HOME/file /tmp/alive')).toMatchObject({ stdout: '' });
    const after = await containers();
    expect(after.filter((each) => before.includes(each))).toHaveLength(1);
    expect(await reset('nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no agent nobody'),
    });
    const records = (await stack.audit()).filter(({ type }) => type === 'session');
    expect(records.filter(({ state }) => state === 'reset')).toMatchObject([
      { agent: 'coder', by: 'person:admin', reason: 'a test' },
    ]);
    expect(records.filter(({ state }) => state === 'started').length).toBeGreaterThan(2);
  });

  test('P19 the kill switch ends them, with what they hold in the background', async () => {
    await run(`(${server}) & exit 0`);
    await run('true', 'sh', 'other');
    expect(await stack.cli(['pause', 'coder', '--json'])).toMatchObject({ code: 0 });
    expect((await listed()).map(({ agent }) => agent)).toEqual(['other']);
    expect(await containers()).toHaveLength(1);
    await stack.cli(['resume', 'coder']);
  });

  test('a gateway that is killed, or stops, leaves none', async () => {
    await run(`(${server}) & exit 0`);
    expect((await containers()).length).toBeGreaterThan(0);
    stack.gateway.signal('SIGKILL');
    await waitUntil(
      'the sessions to end with their gateway',
      20_000,
      async () => (await containers()).length === 0,
    );
    await stack.startGateway();
    await waitUntil('the next gateway to serve', 30_000, async () => (await run('exit 3')).code === 3);
    expect(await stack.gateway.end('SIGTERM')).toBe(0);
    expect(await containers()).toEqual([]);
    await stack.startGateway();
    await waitUntil('the next gateway to serve', 30_000, async () => (await run('exit 3')).code === 3);
  });
});
