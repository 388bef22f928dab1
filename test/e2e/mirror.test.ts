import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy } from './life.ts';
import { processesOf, type Typing, type, typed } from './typed.ts';

// All of it ignores TERM: a child, one whose parent has gone, and one in its own session.
const family = 'trap "" TERM HUP; (setsid sleep 600 &); (sleep 600 &); sleep 600 & echo up; wait';
/** The init, the shell and the three. */
const familySize = 5;

describe.skipIf(!hasLab())('a command that runs in the agent itself', () => {
  let lab: Lab;
  let stack: Stack;
  let own = 0;
  beforeAll(async () => {
    lab = sharedLab();
    stack = await startStack(lab, { name: 'mirror', policy: lifePolicy() });
    own = (await processesOf(agent())).length;
  });
  afterAll(() => stack?.stop());

  const agent = () => stack.agents.coder!;
  const docker = (...args: string[]) => run(['docker', '-H', `unix://${lab.agentHost.socket}`, ...args]);
  const mirrored = (script: string) => ['mirrored', script];
  /** The container's own processes; no process of ours is left. */
  const isIdle = async () => (await processesOf(agent())).length === own;

  test('is the user’s own, with the container’s PATH and HOME and without our folder', async () => {
    const { stdout, code } = await typed(
      agent(),
      mirrored('id -u; id -g; pwd; echo $PATH; echo ${LD_PRELOAD-none}'),
      {
        env: { LD_PRELOAD: '/app/evil.so' },
      },
    );
    const [uid, gid, cwd, path, preload] = stdout.toString().split('\n');
    expect({ code, uid, gid, cwd, preload }).toEqual({
      code: 0,
      uid: '1000',
      gid: '1000',
      cwd: '/app',
      preload: 'none',
    });
    expect(path).toContain('/usr/bin');
    expect(path).not.toContain('/clawrden');
  });

  test('gets its standard input to the end, and says 20 MB back exactly', async () => {
    const typing = await type(agent(), mirrored('cat'), { stdin: 'pipe' });
    const line = `${'x'.repeat(99)}\n`;
    typing.stdin?.end(line.repeat(200_000));
    const { code, stdout } = await typing.ended;
    expect([code, stdout.length, stdout.equals(Buffer.from(line.repeat(200_000)))]).toEqual([
      0,
      20_000_000,
      true,
    ]);
  });

  test('A-59 waits for a reader that stalls, holds no memory meanwhile, and is canceled all the same', async () => {
    const typing = await type(
      agent(),
      mirrored('while :; do echo 0123456789012345678901234567890123456789; done'),
      {
        keepStdout: true,
      },
    );
    await once(typing.stdout!, 'readable');
    const before = await residentBytes(stack.relay.pid);
    await sleep(3000);
    expect((await residentBytes(stack.relay.pid)) - before).toBeLessThan(32e6);
    await typing.signal('SIGINT');
    // Its init stays, with the output that the reader has not taken.
    await waitUntil('the tool to be gone', 3000, async () => (await processesOf(agent())).length <= own + 1);
    typing.stdout?.resume();
    expect((await typing.ended).signal).toBe('SIGINT');
    await waitUntil('its init to be gone', 3000, isIdle);
  });

  async function startFamily(before = ''): Promise<Typing> {
    const typing = await type(agent(), mirrored(`${before}${family}`));
    await typing.said('up');
    expect((await processesOf(agent())).length).toBeGreaterThanOrEqual(own + familySize);
    return typing;
  }

  test('P24 all of it is gone within 3 s of its shim', async () => {
    const typing = await startFamily();
    await typing.signal('SIGKILL');
    await waitUntil('the tool to be gone', 3500, isIdle);
  });

  test('all of it is gone 2 s after its timeout, and its shim ends with 124', async () => {
    const { code, stderr, ms } = await (await startFamily(': brief; ')).ended;
    expect([code, stderr]).toEqual([124, expect.stringMatching(/^clawrden: run-timeout: /)]);
    expect(ms).toBeLessThan(5000);
    await waitUntil('its init to be gone', 1500, isIdle);
  });

  // Before relay and gateway are lost: for 15 s after that a pause names what they may still run.
  test('A-72 pause ends it at once and pauses its container; resume lets new ones run', async () => {
    const typing = await startFamily();
    // It answers with what is not confirmed after some seconds.
    const { code, stdout, stderr } = await stack.cli(['pause', 'coder', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ unconfirmed: [] });
    expect(await docker('inspect', '-f', '{{.State.Paused}}', agent().name)).toBe('true\n');
    expect(await isIdle()).toBe(true);
    expect((await stack.cli(['resume', 'coder'])).code).toBe(0);
    await waitUntil('the container to run', 5000, async () =>
      (await docker('inspect', '-f', '{{.State.Paused}}', agent().name)).includes('false'),
    );
    expect(await typing.ended).toMatchObject({ code: 125 });
    expect(await typed(agent(), mirrored('echo again'))).toMatchObject({
      code: 0,
      stdout: Buffer.from('again\n'),
    });
  });

  test('all of it is gone within 3 s of its relay, and its shim ends with 125', async () => {
    const typing = await startFamily();
    await stack.relay.end('SIGKILL');
    expect(await typing.ended).toMatchObject({ code: 125 });
    await waitUntil('the tool to be gone', 3500, isIdle);
    await stack.startRelay();
  });

  test('is canceled when its gateway is lost, all of it, and its shim ends with 125', async () => {
    const typing = await startFamily();
    await stack.gateway.end('SIGKILL');
    const { code, stderr, ms } = await typing.ended;
    expect(code).toBe(125);
    expect(stderr).toMatch(/^clawrden: gateway-lost: /);
    expect(ms).toBeLessThan(15_000);
    expect(await isIdle()).toBe(true);
    await stack.startGateway();
  });

  test('A-46 one that a person is asked about outlives its gateway, and runs when it is approved', async () => {
    const typing = await type(agent(), mirrored(': ask; echo at last'));
    const ids = async () => JSON.parse((await stack.cli(['pending', '--json'])).stdout) as { id: string }[];
    await expect.poll(ids, { timeout: 15_000 }).toHaveLength(1);
    await stack.gateway.end('SIGKILL');
    await stack.startGateway();
    await expect.poll(ids, { timeout: 15_000 }).toHaveLength(1);
    const [{ id } = { id: '' }] = await ids();
    expect(await stack.cli(['approve', id])).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await typing.ended;
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 0, stdout: 'at last\n', stderr: '' });
  });

  test('an agent whose container is not there is reported, with the reason', async () => {
    const agents = async () => JSON.parse((await stack.cli(['agents', '--json'])).stdout) as unknown;
    await docker('pause', agent().name);
    await expect
      .poll(agents, { timeout: 15_000, interval: 500 })
      .toMatchObject([{ problem: expect.stringContaining('paused') }]);
    await docker('unpause', agent().name);
    await expect.poll(agents, { timeout: 15_000, interval: 500 }).toMatchObject([{ problem: '' }]);
  });
});

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
