import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImage } from '../lab/images/catalogue.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type GhostsOn, ghostsOn } from './ghosts-on.ts';

const hostile = 'clawrden-test/hostile';

describe.skipIf(!hasLab())("the init's volume", () => {
  let host: LabHost;
  let on: GhostsOn;
  let volume: string;
  beforeAll(async () => {
    host = sharedLab().hosts[1]!;
    on = ghostsOn(host);
    await on.engine.ping();
    const { stdout } = await host.docker(['volume', 'ls', '--quiet', '--filter', 'name=clawrden-init-']);
    volume = stdout.trim();
  });
  afterAll(() => host?.docker(['image', 'rm', '--force', hostile]));

  const hello = () => on.plan(['echo', 'hello']);
  const ends = { end: { type: 'exit', code: 0 }, output: 'hello\n' };

  test('is filled without any image and without a container left', async () => {
    expect(volume).toMatch(/^clawrden-init-[0-9a-f]{12}$/);
    expect(await on.containers()).toEqual([]);
    const mount = ['--rm', '--volume', `${volume}:/v:ro`];
    const { stdout } = await host.docker([
      'run',
      ...mount,
      busyboxImage,
      'stat',
      '-c',
      '%n %a %u',
      '/v/init',
      '/v/hosts',
    ]);
    expect(stdout).toBe('/v/init 555 0\n/v/hosts 444 0\n');
  });

  test('a second gateway leaves it as it is', async () => {
    const inode = async () =>
      (
        await host.docker([
          'run',
          '--rm',
          '--volume',
          `${volume}:/v`,
          busyboxImage,
          'stat',
          '-c',
          '%i',
          '/v/init',
        ])
      ).stdout;
    const before = await inode();
    await ghostsOn(host).engine.ping();
    expect(await inode()).toBe(before);
  });

  test('a half-written init is replaced by the next gateway', async () => {
    await host.docker([
      'run',
      '--rm',
      '--volume',
      `${volume}:/v`,
      busyboxImage,
      'sh',
      '-c',
      'rm /v/init; echo half > /v/init',
    ]);
    const next = ghostsOn(host);
    expect(await next.run(await next.plan(['echo', 'hello']))).toMatchObject(ends);
    expect(next.warnings).toEqual([]);
  });

  test('those of other builds are removed, unless something has them mounted', async () => {
    const make = (name: string, ...more: string[]) => host.docker(['volume', 'create', ...more, name]);
    const label = ['--label', 'clawrden.init=0'];
    const [unused, mounted, foreign] = ['clawrden-init-0', 'clawrden-init-1', 'clawrden-test-2'];
    await Promise.all([make(unused, ...label), make(mounted, ...label), make(foreign)]);
    const keeper = 'clawrden-test-keeper';
    await host.docker(['create', '--name', keeper, '--volume', `${mounted}:/v`, busyboxImage, 'true']);
    const left = async () => {
      await ghostsOn(host).engine.ping();
      return (await host.docker(['volume', 'ls', '--quiet'])).stdout.split('\n');
    };
    const before = await left();
    expect(before).toEqual(expect.arrayContaining([volume, mounted, foreign]));
    expect(before).not.toContain(unused);
    await host.docker(['rm', keeper]);
    expect(await left()).not.toContain(mounted);
    await host.docker(['volume', 'rm', foreign]);
  });

  test('a volume that was pruned is filled again, once for all who start', async () => {
    await host.docker(['volume', 'rm', volume]);
    const plan = await hello();
    const ran = await Promise.all([on.run(plan), on.run(plan), on.run(plan)]);
    for (const each of ran) expect(each).toMatchObject(ends);
    expect(await on.containers()).toEqual([]);
    expect(on.warnings).toContain('the init is gone from its volume: filling it again');
  });

  test('so is one that Docker made anew and empty', async () => {
    await host.docker(['volume', 'rm', volume]);
    // With a network there is no hosts file whose absence would be noticed before the start.
    expect(await on.run({ ...(await hello()), network: 'bridge' })).toMatchObject(ends);
  });

  test('P14 an image cannot bring an init of its own', async () => {
    const script =
      'mkdir /.clawrden; printf "#!/bin/sh\\necho forged\\n" > /.clawrden/init; chmod 755 /.clawrden/init';
    await host.docker(['run', '--name', 'clawrden-test-hostile', busyboxImage, 'sh', '-c', script]);
    await host.docker(['commit', 'clawrden-test-hostile', hostile]);
    await host.docker(['rm', 'clawrden-test-hostile']);
    await host.docker(['volume', 'rm', volume]);
    const plan = await on.plan(['echo', 'hello'], { network: 'bridge' }, hostile);
    expect(await on.run(plan)).toMatchObject(ends);
  });
});
