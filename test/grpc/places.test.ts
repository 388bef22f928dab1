import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { callersPace } from '../../gateway/grpc/pace.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { renew } from '../../src/gateway-client/renew.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { relay, startTestGateway, type TestGateway } from './gateway.ts';
import { coder, confirmed, Place, state, twoPlaces } from './place.ts';

const pace = { ...callersPace, synchronizeMs: 2_000 };
const isLong = process.env['CLAWRDEN_LONG'] === '1';

/** Holds what it is given until its caller is gone; knows it by its first argument. */
function holding() {
  const running: string[] = [];
  const execute: Execute = async (_caller, { command }, channel) => {
    const name = command.args[0] ?? '';
    running.push(name);
    await new Promise<void>((resolve) => {
      channel.listen(() => {});
      channel.gone.addEventListener('abort', () => resolve(), { once: true });
    });
    running.splice(running.indexOf(name), 1);
    return { kind: 'canceled', reason: 'requester-gone', text: '' };
  };
  return { running, execute };
}

test('A-89 P19: a place that only calls Execute holds nothing, and is an incident that names both', async () => {
  const incidents: string[] = [];
  const logged: string[] = [];
  const { running, execute } = holding();
  await using gateway = await startTestGateway({
    ...{ state, execute, pace },
    onIncident: (incident, _, text) => incidents.push(`${incident}: ${text}`),
    onLog: (line) => logged.push(line),
  });
  const { real, copy, print } = await twoPlaces(gateway);
  using _real = real;
  using _copy = copy;
  await real.synchronize();
  void real.execute('of the real one');
  await expect.poll(() => running).toEqual(['of the real one']);
  expect(incidents).toEqual([]);

  const refused = copy.execute('of the copy');
  const place = `127.0.0.1:\\d+ \\(certificate ${print}, serial [0-9A-F]+\\)`;
  const named = new RegExp(
    `^relay-unsynchronized: relay host-7 is used from ${place}, which does not synchronize; ${place} does$`,
  );
  await expect.poll(() => incidents).toEqual([expect.stringMatching(named)]);
  expect(await refused).toBe('16 this connection of the relay does not synchronize');
  expect(running).toEqual(['of the real one']);
  expect(incidents).toHaveLength(1);
  // The real one confirms for itself, and there is nobody else.
  const halted = gateway.relays.halted(coder);
  real.report({ halted: true });
  expect(await confirmed(halted)).toBe(true);
  const connected =
    /"who":"relay:host-7 from 127.0.0.1, certificate [0-9A-F]+","count":(\d).*"msg":"connected"/;
  const count = () => logged.reduce((sum, line) => sum + Number(connected.exec(line)?.[1] ?? 0), 0);
  await expect.poll(count, { timeout: 3000 }).toBe(2);
});

test('A-89: a connection that fetches tokens and does not synchronize is ended, and is an incident', async () => {
  const incidents: string[] = [];
  await using gateway = await startTestGateway({
    ...{ state, pace },
    onIncident: (_, __, text) => incidents.push(text),
  });
  const { real, copy } = await twoPlaces(gateway);
  using _real = real;
  using _copy = copy;
  const until = performance.now() + 10_000;
  while (incidents.length === 0 && performance.now() < until) {
    await copy.client.call(RelayServiceService.token, {}).catch(() => {});
    await sleep(100);
  }
  expect(incidents).toEqual([expect.stringMatching(/does not synchronize; nor does any other place$/)]);
  // One that comes a little before it synchronizes is served.
  const early = real.execute('early');
  await sleep(100);
  await real.synchronize();
  expect(await early).toBe('ended');
});

/** A place of its own: the identity as it is now, and the connections that it has gone over. */
class Party implements Disposable {
  readonly #gateway: TestGateway;
  readonly #dir: string;
  readonly #places: Place[] = [];

  constructor(gateway: TestGateway, dir: string) {
    this.#gateway = gateway;
    this.#dir = dir;
  }

  static async of(gateway: TestGateway, identityDir: string, name: string): Promise<Party> {
    const dir = `${identityDir}-${name}`;
    await cp(identityDir, dir, { recursive: true });
    const party = new Party(gateway, dir);
    await party.connect();
    return party;
  }

  get place(): Place {
    return this.#places.at(-1)!;
  }

  async connect(): Promise<void> {
    this.#places.push(
      new Place(await connectGateway({ address: this.#gateway.address, identityDir: this.#dir })),
    );
  }

  /** As a relay does: by a new certificate over a new connection, which synchronizes while the old one does. */
  async renew(): Promise<void> {
    await renew(this.place.client, this.#dir);
    await this.connect();
    await this.place.synchronize();
  }

  [Symbol.dispose](): void {
    for (const place of this.#places) place[Symbol.dispose]();
  }
}

test('A-89: a relay that renews has two connections for a while: no incident, what runs goes on and is confirmed', async () => {
  const incidents: string[] = [];
  const { running, execute } = holding();
  await using gateway = await startTestGateway({
    ...{ state, execute },
    onIncident: (_, __, text) => incidents.push(text),
  });
  using party = await Party.of(gateway, await gateway.identity(relay), 'real');
  const before = party.place;
  await before.synchronize();
  void before.execute('begun before');
  await expect.poll(() => running).toHaveLength(1);
  const during = gateway.relays.halted(coder);
  await party.renew();
  void before.execute('on its way meanwhile');
  void party.place.execute('begun after');
  await expect.poll(() => running).toHaveLength(3);
  // Longer than the gateway takes to look at every connection.
  await sleep(1500);
  expect(running.toSorted()).toEqual(['begun after', 'begun before', 'on its way meanwhile']);
  expect(incidents).toEqual([]);
  const after = gateway.relays.halted(coder);
  party.place.report({ halted: true });
  expect([await confirmed(during), await confirmed(after)]).toEqual([true, true]);
  // What is left of the old connection ends with the one that spoke for it.
  party.place.leave();
  await expect.poll(() => running, { timeout: 5000 }).toEqual([]);
});

const action = fc.record({
  party: fc.nat(2),
  does: fc.constantFrom('synchronize', 'execute', 'execute', 'renew', 'leave'),
});

test(
  'A-89 P19: whatever places of one identity do, a halt is confirmed only where each that holds work has confirmed it',
  async () => {
    const { running, execute } = holding();
    await using gateway = await startTestGateway({ state, execute });
    const seen = { confirmed: 0, held: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 7 }), async (actions) => {
        const identityDir = await gateway.identity(relay);
        const parties = await Promise.all([0, 1, 2].map((n) => Party.of(gateway, identityDir, `${n}`)));
        try {
          let last: number | undefined;
          for (const { party: n, does } of actions) {
            const party = parties[n]!;
            if (does === 'execute') void party.place.execute(`${n}`);
            if (does === 'leave') {
              party.place.leave();
              if (last === n) last = undefined;
            }
            if (does === 'synchronize' || (does === 'renew' && last === n)) {
              await (does === 'renew' ? party.renew() : party.place.synchronize());
              last = n;
            }
            await sleep(20);
          }
          const halted = gateway.relays.halted(coder);
          for (const { place } of parties) place.report({ halted: false });
          if (last !== undefined) parties[last]!.place.report({ halted: true });
          if (!(await confirmed(halted))) return;
          seen.confirmed += 1;
          seen.held += running.length;
          expect(new Set(running)).toEqual(new Set(running.length > 0 ? [`${last}`] : []));
        } finally {
          for (const party of parties) party[Symbol.dispose]();
          await expect.poll(() => running, { timeout: 5000 }).toEqual([]);
        }
      }),
      { numRuns: isLong ? 300 : 8, endOnFailure: true },
    );
    expect(seen.confirmed).toBeGreaterThan(0);
  },
  isLong ? 900_000 : 60_000,
);
