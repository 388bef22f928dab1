import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Ghost } from '../../gateway/ports/engine.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { codeOf, type GhostsOn, ghostsOn, started } from './ghosts-on.ts';

describe.skipIf(!hasLab())('a ghost on a host that fails', () => {
  let lab: Lab;
  let host: LabHost;
  let on: GhostsOn;
  beforeAll(async () => {
    lab = await startLab({ hosts: 1 });
    host = lab.hosts[0]!;
    on = ghostsOn(host);
    await on.engine.ping();
  });
  afterAll(() => lab?.stop());
  afterEach(() => answering());

  const answering = () =>
    waitUntil('the engine answers', 10_000, async () => (await codeOf(on.engine.ping())) === 'none');
  const stopped = () => waitUntil('no container', 10_000, async () => (await on.containers()).length === 0);
  const sleeping = () => on.plan(['sleep', '60']);
  const reason = new ClawrdenError('start-timeout', 'too slow');

  // A start may succeed before a late abort.
  const isGhost = (value: unknown): value is Ghost => value instanceof Object && 'destroy' in value;

  async function timed<T>(work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
    const before = performance.now();
    return { value: await work, ms: performance.now() - before };
  }

  test('a start that is given up ends with the reason, at whatever moment, and leaves nothing', async () => {
    const plan = await sleeping();
    const whole = await timed(on.start(plan));
    await whole.value.destroy();
    for (const part of [0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8]) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), part * whole.ms);
      const { value, ms } = await timed(on.start(plan, controller.signal).catch((error: unknown) => error));
      if (part > 0.5 && isGhost(value)) await value.destroy();
      else expect(value).toBe(reason);
      expect(ms).toBeLessThan(2500);
    }
    expect(await on.containers()).toEqual([]);
  });

  test('a killed engine loses its ghost at once, refuses the next, and is clean after its restart', async () => {
    const plan = await sleeping();
    const ghost = await on.start(plan);
    const { ended } = await started(ghost, plan);
    await host.kill();
    expect(await timed(codeOf(ended))).toMatchObject({
      value: 'host-lost',
      ms: expect.toSatisfy((ms) => ms < 3000),
    });
    expect(await codeOf(on.start(plan))).toBe('host-lost');
    expect(await codeOf(on.engine.ping())).toBe('host-lost');
    await ghost.destroy();
    await host.restart();
    await answering();
    await on.engine.removeStrays(new Set(), AbortSignal.timeout(60_000));
    await stopped();
    expect(await on.run(await on.plan(['echo', 'back']))).toMatchObject({ output: 'back\n' });
  });

  test('P24 a frozen engine holds up nobody longer than asked, and nothing is left once it goes on', async () => {
    const plan = await sleeping();
    await host.freeze();
    const { value, ms } = await timed(codeOf(on.engine.ping()));
    expect(value).toBe('host-lost');
    expect(ms).toBeLessThan(3500);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 1000);
    const start = await timed(codeOf(on.start(plan, controller.signal)));
    expect(start.value).toBe('start-timeout');
    expect(start.ms).toBeLessThan(3500);
    await host.thaw();
    await answering();
    await stopped();
  });

  test('P24 a host that is cut off is noticed in 15 s, and what ran there is removed when it is back', async () => {
    const plan = await sleeping();
    const ghost = await on.start(plan);
    const { ended } = await started(ghost, plan);
    await host.cut();
    const { value, ms } = await timed(codeOf(ended));
    expect(value).toBe('host-lost');
    expect(ms).toBeLessThan(15_500);
    await host.heal();
    await answering();
    await on.engine.removeStrays(new Set(), AbortSignal.timeout(60_000));
    await stopped();
  });
});
