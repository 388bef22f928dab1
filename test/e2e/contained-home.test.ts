import { chown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/cli/set-up/doctor/finding.ts';
import { attempt } from '../lab/command.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import type { Inspected } from '../stack/engine-events.ts';
import { launcher } from '../stack/launcher.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { ghostly } from './followed-home.ts';

const relayUid = 4242;
const agentUid = 1000;
const volume = 'contained-boxed';

/** The relay is neither root nor the agents, and in the group of those who may use the engine. */
describe.skipIf(!hasLab())('a relay that can become no agent', () => {
  let stack: Stack;
  let home: string;
  let boxed: string;
  const docker = (...args: string[]) => sharedLab().agentHost.docker(args);

  beforeAll(async () => {
    await docker('volume', 'create', volume);
    boxed = (await docker('volume', 'inspect', '--format', '{{.Mountpoint}}', volume)).stdout.trim();
    await chown(boxed, agentUid, agentUid);
    stack = await startStack(sharedLab(), {
      name: 'contained',
      policy: ghostly(),
      relayUid,
      agents: {
        coder: { followed: {} },
        boxed: {
          followed: {},
          config: { workspace: { volume, sync: true } },
          container: { workspace: volume },
        },
      },
    });
    home = stack.workspaceOf('coder');
  });
  afterAll(async () => {
    await stack?.stop();
    await docker('volume', 'rm', volume);
  });

  const sh = (agent: string, script: string) => stack.agents[agent]!.exec(['/clawrden/bin/ghostly', script]);
  const carrierOf = async (agent: string) =>
    (
      await docker('ps', '--all', '--quiet', '--no-trunc', '--filter', `label=clawrden.home=${agent}`)
    ).stdout.trim();
  const inspected = async (id: string) =>
    (JSON.parse((await docker('inspect', id)).stdout) as Inspected[])[0]!;
  /** The one container of the agent's carrier, another one than `before`. */
  async function nextCarrier(agent: string, before = ''): Promise<string> {
    let id = '';
    await waitUntil('the next carrier', 30_000, async () => {
      id = await carrierOf(agent);
      return id !== '' && id !== before && (await inspected(id)).State.Running;
    });
    return id;
  }

  test.each([
    ['coder', 'a folder', () => home],
    ['boxed', 'a volume', () => boxed],
  ])('12: the home of %s, %s, is kept by a container of its engine', async (agent, _what, rootOf) => {
    const root = rootOf();
    await writeFile(join(root, 'in'), 'from home');
    await chown(join(root, 'in'), agentUid, agentUid);
    const script = 'cat in; mkdir -p made; echo x > made/file; rm in; exit 3';
    expect(await sh(agent, script)).toMatchObject({ stdout: 'from home', stderr: '', code: 3 });
    expect((await readdir(root)).sort()).toEqual(['.clawrden', 'made']);
    const { uid, gid } = await stat(join(root, 'made/file'));
    expect([uid, gid]).toEqual([agentUid, agentUid]);
    const { stdout } = await stack.cli(['workspace', 'status', agent, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ home: { unconfined: false } });
  });

  test('A-96: P13: it has the agent’s user, the workspace and nothing else', async () => {
    const { Id, Config, HostConfig, Mounts } = await inspected(await nextCarrier('coder'));
    expect(Config.User).toBe(`${agentUid}:${agentUid}`);
    expect(HostConfig).toMatchObject({
      ...{ CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], ReadonlyRootfs: true, Privileged: false },
      ...{
        AutoRemove: true,
        NetworkMode: 'none',
        PidsLimit: 4,
        LogConfig: { Type: 'none' },
        IpcMode: 'private',
      },
      ...{ Memory: 256 * 2 ** 20, MemorySwap: 256 * 2 ** 20, UsernsMode: 'host' },
    });
    for (const option of ['Binds', 'CapAdd', 'Devices', 'GroupAdd', 'VolumesFrom'])
      expect((HostConfig as Record<string, unknown>)[option] ?? []).toEqual([]);
    expect(Mounts).toMatchObject([{ Source: home, Destination: '/w', RW: true }]);
    const status = await statusOf(Id);
    expect(status).toMatch(/^Name:\tcarrier$/m);
    expect(status).toMatch(/^Groups:\t(1000)?\s*$/m);
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
      expect(status).toMatch(new RegExp(`^Cap${set}:\t0+$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  /** By its cgroup: the engine knows it by another process id. */
  async function statusOf(container: string): Promise<string> {
    for (const pid of await readdir('/proc')) {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      if (/^\d+$/.test(pid) && (await read('cgroup')).includes(container)) return await read('status');
    }
    return '';
  }

  test('P24: it ends with a relay that is killed; what a crash left otherwise goes when the next one starts', async () => {
    const first = await nextCarrier('coder');
    const { Config, Name } = await inspected(first);
    const leave = (labels: Readonly<Record<string, string>>, name: string) => {
      const all = Object.entries({ ...Config.Labels, ...labels });
      const flags = all.flatMap(([key, value]) => ['--label', `${key}=${value}`]);
      return docker('create', '--name', name, ...flags, Config.Image, '/carrier');
    };
    await stack.relay.end('SIGKILL');
    const ended = async () => (await Promise.all(['coder', 'boxed'].map(carrierOf))).join('') === '';
    await waitUntil('the end of the carriers', 10_000, ended);
    // As after a kill between the creation and the start; one of an agent that has gone meanwhile, and somebody else's.
    await leave({}, Name.slice(1));
    await leave({ 'clawrden.home': 'gone' }, 'contained-gone');
    await leave({ 'clawrden.home': 'other', 'clawrden.relay': 'other' }, 'contained-other');
    expect(await Promise.all(['coder', 'gone', 'other'].map(carrierOf))).not.toContain('');
    await stack.startRelay();
    await nextCarrier('coder', first);
    expect(await carrierOf('gone')).toBe('');
    expect(await carrierOf('other')).not.toBe('');
    await docker('rm', await carrierOf('other'));
    expect(await sh('coder', 'cat made/file')).toMatchObject({ stdout: 'x\n', code: 0 });
  });

  test('12: one that is killed begins again, and so does one whose image was pruned meanwhile', async () => {
    const first = await nextCarrier('coder');
    const { Config } = await inspected(first);
    await docker('rm', '--force', first);
    const second = await nextCarrier('coder', first);
    expect(await sh('coder', 'echo more > more')).toMatchObject({ code: 0 });
    expect(await readFile(join(home, 'more'), 'utf8')).toBe('more\n');
    await docker('rmi', '--force', Config.Image);
    await docker('rm', '--force', second);
    await nextCarrier('coder', second);
    expect(await sh('coder', 'cat more')).toMatchObject({ stdout: 'more\n', code: 0 });
  });

  test('16: another folder in its place is noticed, and never an empty workspace', async () => {
    const before = await nextCarrier('coder');
    await rename(home, `${home}.away`);
    const refused = await sh('coder', 'echo lost > lost');
    expect(refused.code).toBe(125);
    expect(refused.stderr).toMatch(/workspace-suspect|workspace-unreachable/);
    await rename(`${home}.away`, home);
    await docker('rm', '--force', before);
    await nextCarrier('coder', before);
    await waitUntil('the workspace', 20_000, async () => (await sh('coder', 'cat more')).code === 0);
    await rm(join(home, 'lost'), { force: true });
  });

  test('doctor, as the same user, says how both are kept', async () => {
    const doctor = ['doctor', '--relay', join(stack.dir, 'relay/relay.yaml'), '--json'];
    const user = [`--reuid=${relayUid}`, `--regid=${relayUid}`, '--clear-groups'];
    const { stdout } = await attempt(['setpriv', ...user, process.execPath, launcher, ...doctor], {
      cwd: '/',
    });
    const found = (JSON.parse(stdout) as Finding[]).filter(({ check }) => check.startsWith('workspace of'));
    const text = expect.stringContaining('starts its carrier as a container');
    expect(found).toContainEqual(expect.objectContaining({ check: 'workspace of coder', level: 'ok', text }));
    expect(found).toContainEqual(expect.objectContaining({ check: 'workspace of boxed', level: 'ok', text }));
  });

  test('a relay that ends leaves none behind', async () => {
    await nextCarrier('coder');
    expect(await stack.relay.end('SIGTERM')).toBe(0);
    expect(await Promise.all(['coder', 'boxed'].map(carrierOf))).toEqual(['', '']);
    await stack.startRelay();
  });

  test.runIf(process.env['CLAWRDEN_LONG'])(
    '23: an engine that is frozen, and one that is killed: the home comes back with the engine',
    async () => {
      const { agentHost } = sharedLab();
      const kept = async () => {
        const { stdout } = await stack.cli(['workspace', 'status', 'coder', '--json']);
        return /"reachable": *true|"entries": *[1-9]/.test(stdout);
      };
      const first = await nextCarrier('coder');
      await agentHost.freeze();
      await stack.relay.end('SIGKILL');
      await stack.startRelay();
      await agentHost.thaw();
      const second = await nextCarrier('coder', first);
      await waitUntil('the home', 60_000, kept);
      await agentHost.kill();
      await agentHost.restart();
      // It has made its socket anew.
      await chown(agentHost.socket, 0, relayUid);
      await nextCarrier('coder', second);
      await waitUntil('the home', 60_000, kept);
      // An engine goes on with a start that nobody waits for any more.
      await nextCarrier('boxed');
      expect(await stack.relay.end('SIGTERM')).toBe(0);
      expect(await Promise.all(['coder', 'boxed'].map(carrierOf))).toEqual(['', '']);
    },
  );
});
