import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDoor, sayAtDoor } from './door-client.ts';
import type { DoorFacts, DoorOrder } from './door-main.ts';
import { ask, mayMakeNamespaces, startNamespaces, type TwoNamespaces } from './two-namespaces.ts';

const crowd = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 1000;
const atOnce = 250;
/** Some hundred bytes of each connection would be more than this. */
const mostGrown = 2 * 1024 * 1024;

describe.skipIf(!mayMakeNamespaces)('the way out of two agents', () => {
  let site: TwoNamespaces;
  const order = async (what: DoorOrder) => await ask<DoorFacts>(site.gateway, what);

  beforeAll(async () => {
    site = await startNamespaces('door-main.ts');
    await site.internet({ zone: { 'registry.example': [['20.0.0.1']] } });
    const allow = ['registry.example:7', 'registry.example:80'].map((to) => ({ to }));
    await order({ reach: { network: 'registry', allow, routes: [] } });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  it('A-65 P20: thousands of connections of one keep nothing of the gateway, and no answer from the other', async () => {
    using held = new DisposableStack();
    for (const socket of await Promise.all(Array.from({ length: 64 }, open)))
      held.adopt(socket, (left) => left.destroy());
    const isOver = new AbortController();
    const waiting = Array.from({ length: 64 }, () => waitUntil(isOver.signal));
    await sleep(500);
    await arrive(crowd / 5);
    const before = await inUse();
    const over = new AbortController();
    const neighbour = askUntil(over.signal);
    const refused = await arrive(crowd);
    over.abort();
    const answers = await neighbour;
    const after = await inUse();
    isOver.abort();
    const late = (await Promise.all(waiting)).reduce((sum, count) => sum + count);
    held.dispose();
    expect(refused).toBe(crowd);
    expect(answers.length).toBeGreaterThan(2);
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200 '))).toEqual([]);
    expect(after - before).toBeLessThan(mostGrown);
    const { records } = await order({ tell: 'all' });
    const own = records.filter(({ agent }) => agent === 'coder').length;
    // Who left while it waited is recorded once it has its place.
    expect([own >= 64, own <= 128]).toEqual([true, true]);
    const turned = records.reduce((sum, { turnedAway = 0 }) => sum + turnedAway, 0);
    expect(turned).toBe(crowd + crowd / 5 + late);
  }, 300_000);

  /** Waits for a place again and again; how often there was none in time. */
  async function waitUntil(signal: AbortSignal): Promise<number> {
    let turnedAway = 0;
    while (!signal.aborted) {
      const socket = openDoor(site.folder);
      const leave = () => socket.destroy();
      signal.addEventListener('abort', leave);
      socket.once('data', () => {
        turnedAway += 1;
        socket.destroy();
      });
      socket.write('CONNECT registry.example:7 HTTP/1.1\r\n\r\n');
      await once(socket, 'close');
      signal.removeEventListener('abort', leave);
    }
    return turnedAway;
  }

  async function open(): Promise<Socket> {
    const socket = openDoor(site.folder);
    socket.write('CONNECT registry.example:7 HTTP/1.1\r\n\r\n');
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 200 /);
    return socket;
  }

  /** So many come, and how many were turned away. */
  async function arrive(count: number): Promise<number> {
    let refused = 0;
    let left = count;
    const one = async () => {
      while (left > 0) {
        left -= 1;
        const answer = await sayAtDoor(site.folder, 'CONNECT registry.example:7 HTTP/1.1\r\n\r\n');
        if (/^HTTP\/1\.1 503 .*too many connections/.test(answer)) refused += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    return refused;
  }

  /** The neighbour asks again and again, a little slower than it may. */
  async function askUntil(signal: AbortSignal): Promise<string[]> {
    const answers: string[] = [];
    while (!signal.aborted) {
      answers.push(
        await sayAtDoor(
          site.folder,
          'GET http://registry.example/n HTTP/1.1\r\nHost: x\r\n\r\n',
          'neighbour.sock',
        ),
      );
      await sleep(25);
    }
    return answers;
  }

  /** `facts()` waits for those that are held, which this must not. */
  async function inUse(): Promise<number> {
    const told = await ask<{ inUse: number }>(site.gateway, { tell: 'memory' } satisfies DoorOrder);
    return told.inUse;
  }
});
