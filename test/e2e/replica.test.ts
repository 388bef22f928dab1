import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CarrierProcess, carrierBuilds, makePlace } from '../../shim/native/test/carrier-process.ts';
import { everyKind } from '../../shim/native/test/every-kind.ts';
import { bringHome, sendOut } from '../../src/carrier-client/exchange.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { ghostsOn } from './ghosts-on.ts';
import { of, openOn, ownOn, replicasOn } from './replica-on.ts';

const [{ carrier }] = carrierBuilds;

describe.skipIf(!hasLab())('a replica on a Docker host', () => {
  let host: LabHost;
  let on: Awaited<ReturnType<typeof replicasOn>>;
  beforeAll(async () => {
    host = sharedLab().hosts[1]!;
    on = await replicasOn(host);
  });
  afterAll(() => on?.[Symbol.asyncDispose]());

  /** A home with an entry of each kind, and a carrier on it. */
  async function homeCarrier() {
    const place = makePlace();
    everyKind(place.root);
    return { place, home: await CarrierProcess.start(carrier, place) };
  }

  /** A ghost of uid 1000 that has the replica's folder as its workspace. */
  async function ghostIn(source: string, script: string): Promise<string> {
    const mounts = [{ kind: 'bind', source, target: '/app' }] as const;
    const plan = await on.plan(['sh', '-c', script], { mounts, workspace: '/app', cwd: '/app' });
    const { end, output } = await on.run(plan);
    expect({ end, output }).toMatchObject({ end: { type: 'exit', code: 0 } });
    return output;
  }

  test('becomes what home is, a ghost works in it, and what it wrote comes home', async () => {
    const { place, home } = await homeCarrier();
    using _place = place;
    await using _home = home;
    const replica = await openOn(on);
    expect(replica.found).toMatchObject({ remembered: false, entries: 1, at: { epoch: 0n } });
    const sent = await sendOut(home.session, replica.session);
    expect(sent?.applied).toMatchObject({ tree: (await home.session.settle()).tree, refusedCount: 0 });
    const script =
      'src/deep/run.sh; cat secret; mkdir -p out/x; echo new > out/x/file; rm large; ln -s x out/to';
    expect(await ghostIn(replica.folder, script)).toBe('hello\nfor the owner');
    const brought = await bringHome(home.session, replica.session);
    expect(brought?.exchanged.applied.refused).toEqual([]);
    const [there, here] = [await replica.session.settle(), await home.session.settle()];
    expect(there).toMatchObject({ tree: here.tree, dirty: 0, at: here.version });
    await replica.end();
    expect(replica.alive()).toBe(false);
    expect(await on.containers()).toEqual([]);
  });

  test('A-60 P14: its carrier has no network, five capabilities, one volume, and no way to write elsewhere', async () => {
    const replica = await openOn(on, 'hardened');
    const { stdout } = await host.docker(['inspect', replica.containerId]);
    const [facts] = JSON.parse(stdout) as [Record<string, Record<string, unknown>> & { Mounts: Mounted[] }];
    expect(facts['HostConfig']).toMatchObject({
      CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'LEASE'],
      CapDrop: ['ALL'],
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      PidsLimit: 4,
      Memory: 2 ** 28,
      MemorySwap: 2 ** 28,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      LogConfig: { Type: 'none' },
    });
    const seen = facts.Mounts.map(({ Destination, RW }) => `${Destination} ${RW}`).sort();
    expect(seen).toEqual(['/.clawrden false', '/w true']);
    await replica.end();
  });

  test('its carrier is killed: it is started again, has forgotten nothing, and both become equal', async () => {
    const { place, home } = await homeCarrier();
    using _place = place;
    await using _home = home;
    const first = await openOn(on, 'killed');
    await sendOut(home.session, first.session);
    await ghostIn(first.folder, 'echo before > kept');
    await host.docker(['kill', first.containerId]);
    await waitUntil('the end of the stream', 5000, async () => !first.alive());
    await expect(first.session.settle()).rejects.toThrow('carrier-lost');
    await ghostIn(first.folder, 'echo between > also');
    writeFileSync(join(place.root, 'at home'), 'meanwhile');
    const second = await openOn(on, 'killed');
    expect(second.found.dirty).toBeGreaterThan(0);
    const brought = await bringHome(home.session, second.session);
    expect(brought?.exchanged.applied.refused).toEqual([]);
    await sendOut(home.session, second.session);
    const [there, here] = [await second.session.settle(), await home.session.settle()];
    expect(there).toMatchObject({ tree: here.tree, dirty: 0 });
    await second.end();
  });

  test('a gateway that dies leaves no carrier; the next one finds the replica', async () => {
    const { place, home } = await homeCarrier();
    using _place = place;
    await using _home = home;
    const dead = ghostsOn(host, on.gatewayId);
    const left = await openOn(dead, 'survivor');
    await sendOut(home.session, left.session);
    // Its connection is as good as cut: nothing was ended.
    expect(await on.engine.removeStrays(new Set(), AbortSignal.timeout(60_000))).toBe(1);
    const next = await openOn(on, 'survivor');
    expect(next.found).toMatchObject({
      remembered: true,
      dirty: 0,
      tree: (await home.session.settle()).tree,
    });
    expect(await on.engine.removeStrays(new Set(), AbortSignal.timeout(60_000))).toBe(0);
    expect(next.alive()).toBe(true);
    dead.engine.close();
    await next.end();
  });

  test('one that an earlier gateway left running gives way: a replica has one carrier', async () => {
    const dead = ghostsOn(host, on.gatewayId);
    const left = await openOn(dead, 'one');
    const next = await openOn(on, 'one');
    expect(next.alive()).toBe(true);
    await waitUntil('the end of the first', 5000, async () => !left.alive());
    expect(await on.containers()).not.toContain(left.containerId);
    dead.engine.close();
    await next.end();
  });

  test('a tree that vanished from the host is an empty replica again, and deletes nothing at home', async () => {
    const { place, home } = await homeCarrier();
    using _place = place;
    await using _home = home;
    const first = await openOn(on, 'emptied');
    await sendOut(home.session, first.session);
    await first.end();
    const before = (await home.session.settle()).tree;
    const volume = join(first.folder, '..');
    await host.docker([
      'run',
      '--rm',
      '--volume',
      `${volume}:/v`,
      'clawrden-lab/busybox',
      'rm',
      '-r',
      '/v/base',
    ]);
    const second = await openOn(on, 'emptied');
    expect(second.found).toMatchObject({ remembered: false, entries: 1, at: { epoch: 0n } });
    expect(await bringHome(home.session, second.session)).toBeUndefined();
    await sendOut(home.session, second.session);
    expect((await second.session.settle()).tree).toBe(before);
    await second.end();
    rmSync(place.root, { recursive: true });
  });

  test('is removed with everything of it, and nothing else of ours is left', async () => {
    const replica = await openOn(on, 'leaving');
    await replica.end();
    expect(await on.engine.replicas()).toContainEqual(of('leaving'));
    expect(await on.engine.removeReplica(of('leaving'))).toBe(true);
    expect(await on.engine.removeReplica(of('leaving'))).toBe(false);
    for (const each of await on.engine.replicas()) await on.engine.removeReplica(each);
    expect(await ownOn(host, on.gatewayId)).toEqual({ containers: 0, volumes: 0 });
  });

  test('is made again if the programs or their image were pruned', async () => {
    await host.docker(['image', 'rm', '--force', 'clawrden-init:empty']);
    const replica = await openOn(on, 'pruned');
    expect(replica.alive()).toBe(true);
    await replica.end();
  });
});

interface Mounted {
  readonly Destination: string;
  readonly RW: boolean;
}
