import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { allIfLong } from '../fixtures/sampled.ts';
import { endLeftovers } from '../run/leftovers.ts';
import { run } from './command.ts';
import { agentImage, busyboxImage } from './images/catalogue.ts';
import { startLab } from './lab.ts';
import { leftovers } from './remove.ts';
import { hasLab } from './shared-lab.ts';
import { waitUntil } from './wait.ts';

const program = [process.execPath, join(import.meta.dirname, 'main.ts')];
const patience = { timeout: 15_000, interval: 250 };

describe.skipIf(!hasLab())('the end of a lab', () => {
  test('stop leaves nothing, though containers run or are paused, networks and volumes exist and an engine hangs', async () => {
    const before = await mountPoints();
    const lab = await startLab({ hosts: 2 });
    const [one, two] = [lab.hosts[0]!, lab.hosts[1]!];
    await lab.workspaceVolume('clawrden-left');
    await one.docker(['network', 'create', 'clawrden-left']);
    const detached = ['run', '--detach', '--volume', 'clawrden-left:/app'];
    expect((await one.docker([...detached, '--network', 'clawrden-left', agentImage])).code).toBe(0);
    expect((await one.docker([...detached, '--name', 'paused', agentImage])).code).toBe(0);
    expect((await one.docker(['pause', 'paused'])).code).toBe(0);
    expect((await two.docker([...detached, '--restart', 'always', busyboxImage, 'true'])).code).toBe(0);
    await two.freeze();
    expect(await leftovers(lab.id)).not.toEqual([]);
    await lab.stop();
    expect(await leftovers(lab.id)).toEqual([]);
    expect(await mountPoints()).toEqual(before);
  });

  test.each(allIfLong(['SIGKILL', 'SIGTERM', 'SIGINT'] as const, 1))(
    '%s of the process that started it',
    async (signal) => {
      const { child, id } = await startElsewhere('running');
      child.kill(signal);
      await once(child, 'exit');
      await expect.poll(() => leftovers(id), patience).toEqual([]);
    },
  );

  test('the end of a test run that was cut off while it had a lab', async () => {
    const mark = `CLAWRDEN_CUT_OFF=${randomUUID()}`;
    const { id } = await startElsewhere('running', mark);
    const checkout = join(import.meta.dirname, '../..');
    await endLeftovers({ checkout, mark }, join(checkout, 'build/nothing-is-here'));
    expect(await leftovers(id)).toEqual([]);
  });

  test.each(allIfLong([0, 50, 150, 400, 800], 2))(
    'SIGKILL of that process %d ms after the lab had an id',
    async (delay) => {
      const { child, id } = await startElsewhere('making');
      await sleep(delay);
      child.kill('SIGKILL');
      await expect.poll(() => leftovers(id), patience).toEqual([]);
    },
  );

  test('scripts/lab: up stays, status shows it, down removes it', async () => {
    const lab = async (...args: string[]) =>
      JSON.parse(await run([...program, ...args, '--json'])) as unknown;
    const [made] = (await lab('up', '--hosts', '1')) as [{ id: string }];
    const answers = [expect.objectContaining({ answers: true }), expect.objectContaining({ answers: true })];
    expect(made).toMatchObject({ state: 'kept', hosts: answers });
    expect(await lab('status')).toContainEqual(made);
    expect(await lab('down', made.id)).toEqual({ removed: [made.id] });
    expect(await leftovers(made.id)).toEqual([]);
  });

  test('scripts/lab up, interrupted', async () => {
    const [node = '', ...main] = program;
    const up = spawn(node, [...main, 'up'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let id = '';
    for await (const line of createInterface(up.stderr)) {
      id = /^lab: making (\w{4}) /.exec(line)?.[1] ?? '';
      if (id !== '') break;
    }
    up.kill('SIGINT');
    await expect.poll(() => leftovers(id), patience).toEqual([]);
  });

  test('SIGKILL of that process before the lab had an id', async () => {
    const { child } = await startElsewhere('starting');
    const children = () => readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    await waitUntil('its keeper', 5000, async () => (await children()) !== '');
    const pids = (await children()).trim().split(' ');
    child.kill('SIGKILL');
    await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`)), patience).toEqual([]);
  });
});

/** `mark`: `NAME=value`, in the environment of all that it starts. */
async function startElsewhere(until: string, mark = 'X='): Promise<{ child: ChildProcess; id: string }> {
  const fixture = join(import.meta.dirname, 'start-and-wait.fixture.ts');
  const [name = '', value] = mark.split('=');
  const env = { ...process.env, [name]: value };
  const child = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'inherit'], env });
  for await (const line of createInterface(child.stdout)) {
    const [word, id = ''] = line.split(' ');
    if (word === until) return { child, id };
  }
  throw new Error('the lab did not start');
}

async function mountPoints(): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).trim().split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '');
}
