import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { departureGraceMs } from '../../gateway/docker/container/departures.ts';
import type { EngineEvent, Ghost } from '../../gateway/ports/engine.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { busyboxShape, engineOf, planFor } from './engine-fixture.ts';

const never = new AbortController().signal;
const pooled = { pooled: true, timeoutMs: 60_000 };

describe.skipIf(!hasLab())('what an engine tells of its ghosts', () => {
  const [host] = hasLab() ? sharedLab().hosts : [];
  if (host === undefined) return;
  const engine = engineOf(host, 'gw-watch');
  const exists = async ({ containerId }: Ghost) => (await host.docker(['inspect', containerId])).code === 0;
  const run = (ghost: Ghost, argv: readonly string[]) =>
    ghost.session.run({ plan: planFor(argv), send: () => undefined, onStarted: () => {} });

  test('a ghost that ended leaves by itself, and its exit code is told', async () => {
    const events: EngineEvent[] = [];
    const watching = new AbortController();
    const opened = Promise.withResolvers<number>();
    const watch = engine.watch(
      { onOpen: opened.resolve, onEvent: (event) => events.push(event) },
      watching.signal,
    );
    const since = await opened.promise;
    expect(Math.abs(since - Date.now() / 1000)).toBeLessThan(5);
    const ghost = await engine.startGhost(await busyboxShape(engine), pooled, never);
    expect(await run(ghost, ['sh', '-c', 'exit 7'])).toMatchObject({ type: 'exit', code: 7 });
    const began = performance.now();
    await ghost.release();
    expect(performance.now() - began).toBeLessThan(departureGraceMs - 1000);
    expect(await exists(ghost)).toBe(false);
    const its = (event: EngineEvent) => 'containerId' in event && event.containerId === ghost.containerId;
    expect(events.filter(its)).toMatchObject([{ type: 'container-ended', exitCode: 7 }]);
    watching.abort();
    await watch;

    const replayed: EngineEvent[] = [];
    await engine.watch(
      { since, until: Math.ceil(Date.now() / 1000), onEvent: (event) => replayed.push(event) },
      never,
    );
    expect(replayed.filter(its)).toEqual(events.filter(its));
  });

  test('a ghost whose engine tells nothing is taken away after the grace', async () => {
    const ghost = await engine.startGhost(await busyboxShape(engine), pooled, never);
    await host.docker(['pause', ghost.containerId]);
    await ghost.release();
    expect(await exists(ghost)).toBe(false);
  });

  test('a waiting ghost is known to be dead as soon as it is', async () => {
    const ghost = await engine.startGhost(await busyboxShape(engine), pooled, never);
    const broken = ghost.session.untilBroken();
    expect(ghost.session.alive).toBe(true);
    await host.docker(['kill', ghost.containerId]);
    await broken;
    expect(ghost.session.alive).toBe(false);
    await ghost.destroy();
  });

  test('a ghost that is watched while it waits still runs its plan', async () => {
    const ghost = await engine.startGhost(await busyboxShape(engine), pooled, never);
    void ghost.session.untilBroken();
    await sleep(50);
    expect(await run(ghost, ['true'])).toMatchObject({ code: 0, signal: 0 });
    expect(ghost.session.alive).toBe(true);
    await ghost.release();
  });

  test('the pool label is the hash of what is created, without what varies', async () => {
    const shape = await busyboxShape(engine);
    const label = async (change: Partial<typeof shape>) => {
      const ghost = await engine.startGhost({ ...shape, ...change }, pooled, never);
      const { stdout } = await host.docker([
        'inspect',
        '--format',
        '{{index .Config.Labels "clawrden.pool"}}',
        ghost.containerId,
      ]);
      await ghost.destroy();
      return stdout.trim();
    };
    const [one, same, other] = await Promise.all([label({}), label({}), label({ pids: 65 })]);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('images that come and go are told', async () => {
    const events: EngineEvent[] = [];
    const watching = new AbortController();
    const opened = Promise.withResolvers<number>();
    const watch = engine.watch(
      { onOpen: opened.resolve, onEvent: (event) => events.push(event) },
      watching.signal,
    );
    await opened.promise;
    await host.docker(['tag', 'clawrden-lab/busybox:latest', 'clawrden-lab/watched:1']);
    await host.docker(['rmi', 'clawrden-lab/watched:1']);
    await expect.poll(() => events.filter(({ type }) => type === 'images-changed').length).toBe(2);
    watching.abort();
    await watch;
  });

  test('a stream that breaks is told by a rejection', async () => {
    const opened = Promise.withResolvers<number>();
    const watch = engine.watch({ onOpen: opened.resolve, onEvent: () => {} }, never);
    watch.catch(() => {});
    await opened.promise;
    await host.kill();
    await expect(watch).rejects.toMatchObject({ code: 'host-lost' });
    await host.restart();
    engine.close();
  });
});
