import { expect, test } from 'vitest';
import type { Ghost } from '../../ports/engine.ts';
import { waitingGhost } from './waiting-ghost.fixture.ts';
import { WarmGhosts } from './warm-ghosts.ts';

const never = new AbortController().signal;

function pool() {
  const gone: string[] = [];
  const warm = new WarmGhosts((ghost: Ghost) => void gone.push(ghost.containerId));
  const add = (key: string, id: string) => {
    const ghost = waitingGhost(id);
    warm.arrived(warm.expect(key, 'coder'), ghost);
    return ghost;
  };
  return { warm, gone, add };
}

test('each is claimed once, the one that waited longest first, and only for its key', () => {
  const { warm, add } = pool();
  add('k', 'a');
  add('k', 'b');
  add('other', 'c');
  expect([warm.size, warm.count('k'), warm.has('k')]).toEqual([3, 2, true]);
  expect(warm.claim('k')?.containerId).toBe('a');
  expect(warm.claim('k')?.containerId).toBe('b');
  expect(warm.claim('k')).toBeUndefined();
  expect([warm.has('k'), warm.size]).toEqual([false, 1]);
});

test('one that died while it waited is never claimed', async () => {
  const { warm, gone, add } = pool();
  const [dead, dying] = [add('k', 'dead'), add('k', 'dying')];
  add('k', 'alive');
  dead.init.end();
  await expect.poll(() => gone).toEqual(['dead']);
  dying.session.destroy();
  expect(warm.claim('k')?.containerId).toBe('alive');
  expect(gone).toEqual(['dead', 'dying']);
});

test('one that speaks before it was told anything is never claimed', async () => {
  const { warm, gone, add } = pool();
  add('k', 'odd').init.write(Buffer.from([1, 0, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0, 0]));
  await expect.poll(() => gone).toEqual(['odd']);
  expect(warm.claim('k')).toBeUndefined();
});

test('one that is on its way can be claimed once, and counts no more', async () => {
  const { warm } = pool();
  const coming = warm.expect('k', 'coder');
  expect([warm.count('k'), warm.waiting('k'), warm.coming]).toEqual([1, 0, 1]);
  const taken = warm.claimComing('k', never);
  expect(warm.claimComing('k', never)).toBeUndefined();
  expect(warm.count('k')).toBe(0);
  warm.arrived(coming, waitingGhost('a'));
  expect((await taken)?.containerId).toBe('a');
  expect(warm.size).toBe(0);
});

test('if its start fails the waiting command learns it, and a command that gives up leaves it to others', async () => {
  const { warm } = pool();
  const failing = warm.expect('k', 'coder');
  const told = warm.claimComing('k', never);
  warm.failed(failing);
  expect(await told).toBeUndefined();
  const coming = warm.expect('k', 'coder');
  const abort = new AbortController();
  const given = warm.claimComing('k', abort.signal);
  abort.abort(new Error('no more'));
  await expect(given).rejects.toThrow('no more');
  warm.arrived(coming, waitingGhost('a'));
  expect(warm.claim('k')?.containerId).toBe('a');
});

test('A-628 P13: one that was left as it came is given to no command, and goes', async () => {
  const { warm, gone } = pool();
  const [taken, free] = [warm.expect('k', 'coder'), warm.expect('k', 'coder')];
  const other = warm.expect('k', 'writer');
  const told = warm.claimComing('k', never);
  expect(warm.leave('coder')).toEqual([]);
  expect(await told).toBeUndefined();
  expect(warm.count('k')).toBe(1);
  for (const [coming, id] of [
    [taken, 'a'],
    [free, 'b'],
    [other, 'c'],
  ] as const)
    warm.arrived(coming, waitingGhost(id));
  expect([gone, warm.claim('k')?.containerId, warm.size]).toEqual([['a', 'b'], 'c', 0]);
});
