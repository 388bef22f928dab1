import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { scratchImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { codeOf, type GhostsOn, ghostsOn, started } from './ghosts-on.ts';

const exited = {
  type: 'exit',
  code: 0,
  signal: 0,
  cause: 'own',
  operand: '',
  oomKills: 0,
  usage: expect.anything() as unknown,
};

describe.skipIf(!hasLab())('a ghost', () => {
  let lab: Lab;
  let host: LabHost;
  let on: GhostsOn;
  beforeAll(async () => {
    lab = sharedLab();
    host = lab.hosts[0]!;
    on = ghostsOn(host);
    await on.engine.ping();
  });

  test("runs as the caller, in a home and a /tmp of its own, and reports its tool's end", async () => {
    const { end, output } = await on.run(
      await on.plan(['sh', '-c', 'id -u; id -g; id -G; stat -c "%n %a %u %g" /tmp $HOME']),
    );
    expect(end).toEqual(exited);
    expect(output).toBe('1000\n1000\n1000\n/tmp 1777 0 0\n/home/ghost 700 1000 1000\n');
  });

  test('P14 has no capability, no new privileges, a filter, a read-only root and exec in /tmp', async () => {
    const script = `grep -E '^(Cap...|NoNewPrivs|Seccomp):' /proc/self/status; touch /x 2>&1;
      cp /bin/busybox /tmp/ && /tmp/busybox echo ran; ulimit -n; ulimit -Hn; ulimit -c`;
    const { output } = await on.run(await on.plan(['sh', '-c', script]));
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
      expect(output).toMatch(new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
    expect(output).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(output).toMatch(/^Seccomp:\s+2$/m);
    expect(output).toContain('Read-only file system');
    expect(output).toMatch(/ran\n1024\n16384\n0\n$/);
  });

  test('P14 has a network of its own with nothing but a loopback, where localhost has an address', async () => {
    const script = `ls /sys/class/net; cat /etc/hosts;
      (echo pong | nc -l -p 9999 &) ; sleep 0.3; nc localhost 9999 </dev/null`;
    const { output } = await on.run(await on.plan(['sh', '-c', script]));
    expect(output).toMatch(/^lo\n127\.0\.0\.1\tlocalhost\n/);
    expect(output).toMatch(/\npong\n$/);
  });

  test('A-60 is made as the design says, and is named after its execution', async () => {
    const workspace = await lab.workspace('ghost-inspect');
    const mounts = [{ kind: 'bind', source: workspace, target: '/app' }] as const;
    const plan = await on.plan(['sleep', '60'], { mounts, workspace: '/app', cwd: '/app' });
    const executionId = newExecutionId();
    const ghost = await on.start(plan, undefined, executionId);
    await started(ghost, plan);
    const facts = await inspect(host, ghost.containerId);
    expect(facts.Name).toBe(`/clawrden-${executionId}`);
    expect(facts.Image).toBe(plan.image?.id);
    expect(facts.Config).toMatchObject({ User: '1000:1000', Tty: false, WorkingDir: '/', StdinOnce: true });
    expect(facts.Config.Labels).toMatchObject({
      'clawrden.gateway': on.gatewayId,
      'clawrden.agent': 'coder',
      'clawrden.pool': '',
      'clawrden.expires': expect.stringMatching(/^\d{10}$/),
    });
    expect(facts.HostConfig).toMatchObject({
      AutoRemove: true,
      CapAdd: null,
      CapDrop: ['ALL'],
      IpcMode: 'private',
      LogConfig: { Type: 'none' },
      Memory: 256 * 1024 * 1024,
      MemorySwap: 256 * 1024 * 1024,
      NanoCpus: 1e9,
      NetworkMode: 'none',
      PidMode: '',
      PidsLimit: 64,
      Privileged: false,
      ReadonlyRootfs: true,
      SecurityOpt: ['no-new-privileges'],
      UTSMode: '',
    });
    const writable = Object.fromEntries(facts.Mounts.map((mount) => [mount.Destination, mount.RW]));
    expect(writable).toEqual({ '/app': true, '/.clawrden': false, '/etc/hosts': false, '/dev/pts': true });
    const hosts = facts.Mounts.find((mount) => mount.Destination === '/etc/hosts');
    const init = facts.Mounts.find((mount) => mount.Destination === '/.clawrden');
    expect(hosts?.Source).toBe(`${init?.Source}/hosts`);
    await ghost.destroy();
  });

  test('is renamed after its execution if it was started before there was one', async () => {
    const plan = await on.plan(['sleep', '60']);
    const ghost = await on.start(plan);
    const executionId = newExecutionId();
    ghost.claim(executionId);
    const named = async () => (await inspect(host, ghost.containerId)).Name === `/clawrden-${executionId}`;
    await waitUntil('renamed', 5000, named);
    await ghost.destroy();
  });

  test('P24 a short command leaves nothing in the list, though its ghost was renamed as it began', async () => {
    const plan = await on.plan(['true']);
    const one = async (): Promise<void> => {
      const ghost = await on.start(plan);
      ghost.claim(newExecutionId());
      await (await started(ghost, plan)).ended;
      await ghost.destroy();
    };
    const three = async (): Promise<void> => {
      for (let count = 0; count < 10; count++) await one();
    };
    await Promise.all([three(), three(), three()]);
    expect(await on.containers()).toEqual([]);
  });

  test.each(['bind', 'volume'] as const)('leaves its files to the caller in a %s workspace', async (kind) => {
    const name = `ghost-${kind}`;
    const path = kind === 'bind' ? await lab.workspace(name) : await lab.workspaceVolume(name);
    const mounts = [{ kind, source: kind === 'bind' ? path : name, target: '/app' }];
    const plan = await on.plan(['sh', '-c', 'pwd; echo made > note'], {
      mounts,
      workspace: '/app',
      cwd: '/app',
    });
    expect(await on.run(plan)).toEqual({ end: exited, output: '/app\n' });
    expect(await readFile(join(path, 'note'), 'utf8')).toBe('made\n');
    expect(await stat(join(path, 'note'))).toMatchObject({ uid: 1000, gid: 1000 });
  });

  test('is gone by itself once its tool has ended', async () => {
    const plan = await on.plan(['true']);
    const ghost = await on.start(plan);
    await (await started(ghost, plan)).ended;
    await waitUntil('gone', 3000, async () => (await on.containers()).length === 0);
    await ghost.destroy();
  });

  test('P24 is gone when its gateway is', async () => {
    const plan = await on.plan(['sh', '-c', 'trap "" TERM HUP; sleep 60 & while :; do sleep 1; done']);
    const ghost = await on.start(plan);
    const { ended } = await started(ghost, plan);
    ghost.session.destroy();
    await expect(ended).rejects.toMatchObject({ code: 'host-lost' });
    await waitUntil('gone', 3000, async () => (await on.containers()).length === 0);
  });

  test('P19 is destroyed in 2 s, however it resists, once or twice at a time', async () => {
    const plan = await on.plan(['sh', '-c', 'trap "" TERM HUP INT; while :; do sleep 1; done']);
    const ghost = await on.start(plan);
    const { ended } = await started(ghost, plan);
    ended.catch(() => {});
    const before = performance.now();
    await Promise.all([ghost.destroy(), ghost.destroy()]);
    expect(performance.now() - before).toBeLessThan(2000);
    expect(await on.containers()).toEqual([]);
    expect(on.warnings).toEqual([]);
  });

  test('runs an image that holds nothing at all', async () => {
    const { end } = await on.run(await on.plan(['tool'], {}, scratchImage));
    expect(end).toMatchObject({ type: 'refused', reason: 'not-found' });
  });

  test('P14 puts a tmpfs over what its image declares as VOLUME, and leaves no volume behind', async () => {
    await host.docker(['create', '--name', 'clawrden-test-volume', 'clawrden-lab/busybox:latest']);
    const changes = ['--change', 'VOLUME /data /app'];
    await host.docker(['commit', ...changes, 'clawrden-test-volume', 'clawrden-test/volume']);
    await host.docker(['rm', '-v', 'clawrden-test-volume']);
    const list = async (...filter: string[]) =>
      (await host.docker(['volume', 'ls', '--quiet', ...filter])).stdout.split('\n');
    /** Without the terminals of ghosts, which go with them. */
    const volumes = async () => {
      const terminals = new Set(await list('--filter', 'label=clawrden.terminals'));
      return (await list()).filter((name) => !terminals.has(name));
    };
    const before = await volumes();
    const workspace = await lab.workspace('ghost-volumes');
    const plan = await on.plan(
      [
        'sh',
        '-c',
        'grep " /data " /proc/mounts | cut -d " " -f 1; echo x > /data/x; ls -ld /data | cut -d " " -f 1; sleep 1',
      ],
      { mounts: [{ kind: 'bind', source: workspace, target: '/app' }] },
      'clawrden-test/volume',
    );
    const ghost = await on.start(plan);
    const { ended } = await started(ghost, plan);
    expect(await volumes()).toEqual(before);
    expect((await ended).output).toBe('tmpfs\ndrwxr-xr-x\n');
    await ghost.destroy();
    await host.docker(['image', 'rm', 'clawrden-test/volume']);
  });

  test.each([
    ['image-missing', {}, 'clawrden-test/none'],
    ['workspace-missing', { mounts: [{ kind: 'bind', source: '/none/here', target: '/app' }] }, undefined],
    [
      'workspace-missing',
      { mounts: [{ kind: 'volume', source: 'clawrden-none', target: '/app' }] },
      undefined,
    ],
    ['no-host', { network: 'clawrden-none' }, undefined],
  ] as const)('P13 says %s, makes nothing and leaves nothing: %o', async (code, over, image) => {
    expect(await codeOf(on.start(await on.plan(['true'], over, image)))).toBe(code);
    expect(await on.containers()).toEqual([]);
    expect((await host.docker(['volume', 'ls', '--quiet'])).stdout).not.toContain('clawrden-none');
  });

  test('a sweep removes what is left of this gateway, and spares what is kept, starting, or of another', async () => {
    const other = ghostsOn(host);
    const plan = await on.plan(['sleep', '60']);
    const [left, kept, foreign] = await Promise.all([on.start(plan), on.start(plan), other.start(plan)]);
    // A ghost that has just been handed out is spared until its caller had a turn to note it.
    await setImmediate();
    const starting = on.start(plan);
    expect(await on.engine.removeStrays(new Set([kept.containerId]), AbortSignal.timeout(60_000))).toBe(1);
    const begun = await starting;
    expect((await on.containers()).sort()).toEqual([kept.containerId, begun.containerId].sort());
    expect(await other.containers()).toEqual([foreign.containerId]);
    expect(begun.session.alive).toBe(true);
    await Promise.all([left, kept, begun, foreign].map((ghost) => ghost.destroy()));
    expect(await on.engine.removeStrays(new Set(), AbortSignal.timeout(60_000))).toBe(0);
  });
});

interface Inspected {
  readonly Name: string;
  readonly Image: string;
  readonly Config: Record<string, unknown> & { readonly Labels: Record<string, string> };
  readonly HostConfig: Record<string, unknown>;
  readonly Mounts: { readonly Destination: string; readonly Source: string; readonly RW: boolean }[];
}

async function inspect(host: LabHost, container: string): Promise<Inspected> {
  const [facts] = JSON.parse((await host.docker(['inspect', container])).stdout) as Inspected[];
  if (facts === undefined) throw new Error(`no container ${container}`);
  return facts;
}
