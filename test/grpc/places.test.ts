import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { ClawrdenError, errorCodes } from '../../src/errors.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { renew } from '../../src/gateway-client/renew.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { mirrorEnds, relayRefusals } from '../../src/relay-codes.ts';
import { relay, startTestGateway, type TestGateway } from './gateway.ts';
import { coder, confirmed, Place, state, twoPlaces } from './place.ts';

const pace = { ...callersPace, synchronizeMs: 2_000 };
const isLong = process.env['CLAWRDEN_LONG'] === '1';

/** Keeps each command until its caller is gone; the first argument identifies it. */
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
  void real.execute({ args: ['of the real one'] });
  await expect.poll(() => running).toEqual(['of the real one']);
  expect(incidents).toEqual([]);

  const refused = copy.execute({ args: ['of the copy'] });
  const place = `127.0.0.1:\\d+ \\(certificate ${print}, serial [0-9A-F]+\\)`;
  const named = new RegExp(
    `^relay-unsynchronized: relay host-7 is used from ${place}, which does not synchronize; ${place} does$`,
  );
  await expect.poll(() => incidents).toEqual([expect.stringMatching(named)]);
  expect(await refused).toBe('16 this connection of the relay does not synchronize');
  expect(running).toEqual(['of the real one']);
  expect(incidents).toHaveLength(1);
  // The real relay confirms for itself, and there is no other place.
  const halted = gateway.relays.halted(coder);
  real.report({ halted: true });
  expect(await confirmed(halted)).toBe(true);
  const connected =
    /"who":"relay:host-7 from 127.0.0.1, certificate [0-9A-F]+","count":(\d).*"msg":"connected"/;
  const count = () => logged.reduce((sum, line) => sum + Number(connected.exec(line)?.[1] ?? 0), 0);
  await expect.poll(count).toBe(2);
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
  // A call that comes shortly before the stream is served.
  const early = real.execute({ args: ['early'] });
  // It arrives and waits, well within the time that an early call is given.
  await sleep(100);
  await real.synchronize();
  expect(await early).toBe('ended');
});

/** One place: the present identity, and the connections to which it was renewed. */
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

  /** Like a relay: a new certificate over a new connection, which synchronizes while the old one still does. */
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
  void before.execute({ args: ['begun before'] });
  await expect.poll(() => running).toHaveLength(1);
  const during = gateway.relays.halted(coder);
  await party.renew();
  void before.execute({ args: ['on its way meanwhile'] });
  void party.place.execute({ args: ['begun after'] });
  await expect.poll(() => running).toHaveLength(3);
  // Longer than the gateway takes to check every connection.
  await sleep(1500);
  expect(running.toSorted()).toEqual(['begun after', 'begun before', 'on its way meanwhile']);
  expect(incidents).toEqual([]);
  const after = gateway.relays.halted(coder);
  party.place.report({ halted: true });
  expect([await confirmed(during), await confirmed(after)]).toEqual([true, true]);
  // The rest of the old connection ends with the connection that spoke for it.
  party.place.leave();
  await expect.poll(() => running).toEqual([]);
});

interface Action {
  readonly party: number;
  readonly does: string;
}

const oneRelay: Action[] = [
  { party: 1, does: 'execute' },
  { party: 0, does: 'synchronize' },
  { party: 0, does: 'execute' },
  { party: 1, does: 'execute' },
  { party: 0, does: 'renew' },
  { party: 0, does: 'execute' },
];

const action: fc.Arbitrary<Action> = fc.record({
  party: fc.nat(2),
  does: fc.constantFrom('synchronize', 'execute', 'execute', 'renew', 'leave'),
});

test(
  'A-89 P19: whatever places of one identity do, a halt is confirmed only if each that holds work has confirmed it',
  async () => {
    const { running, execute } = holding();
    await using gateway = await startTestGateway({ state, execute });
    const seen = { runs: 0, confirmed: 0, held: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 7 }), async (actions) => {
        // A new identity for each run, because displaced places are remembered.
        const peer = { kind: 'relay', name: `host-${(seen.runs += 1)}` } as const;
        const agent = { ...coder, relay: peer.name };
        const identityDir = await gateway.identity(peer);
        const parties = await Promise.all([0, 1, 2].map((n) => Party.of(gateway, identityDir, `${n}`)));
        try {
          let last: number | undefined;
          for (const { party: n, does } of actions) {
            const party = parties[n]!;
            if (does === 'execute') void party.place.execute({ args: [`${n}`] });
            if (does === 'leave') {
              party.place.leave();
              if (last === n) last = undefined;
            }
            if (does === 'synchronize' || (does === 'renew' && last === n)) {
              await (does === 'renew' ? party.renew() : party.place.synchronize());
              last = n;
            }
            // Each step reaches the gateway before the next: what is held is known by the order.
            await sleep(20);
          }
          const halted = gateway.relays.halted(agent);
          for (const { place } of parties) place.report({ halted: false });
          if (last !== undefined) parties[last]!.place.report({ halted: true });
          if (!(await confirmed(halted))) return;
          seen.confirmed += 1;
          seen.held += running.length;
          expect(new Set(running)).toEqual(new Set(running.length > 0 ? [`${last}`] : []));
        } finally {
          for (const party of parties) party[Symbol.dispose]();
          await expect.poll(() => running).toEqual([]);
        }
      }),
      { numRuns: isLong ? 100 : 8, endOnFailure: true, examples: [[oneRelay]] },
    );
    expect(seen.confirmed).toBeGreaterThan(0);
    expect(seen.held).toBeGreaterThan(0);
  },
  isLong ? 900_000 : 60_000,
);

test('P3 A-89: a relay refuses, finds and ends only by reasons that a relay has; any other is refused, and an incident', async () => {
  const incidents: string[] = [];
  const seen: string[] = [];
  await using gateway = await startTestGateway({
    ...{ state, onIncident: (incident, _, text) => incidents.push(`${incident}: ${text}`) },
    execute: async (_caller, { refusal, command }, channel) => {
      if (refusal !== undefined) seen.push(`refusal ${refusal.code}`);
      if (command.args[0] === undefined) return { kind: 'exited', code: 0, signal: 0 };
      const plan = { planHash: 'x', canonicalPlan: '{}' };
      void channel.send({ type: command.args[0] === 'mirrorEnd' ? 'run-here' : 'inspect-here', ...plan });
      return await new Promise((resolve) => {
        const end = () => resolve({ kind: 'exited', code: 0, signal: 0 });
        channel.gone.addEventListener('abort', end);
        channel.listen((input) => {
          if (input.type === 'inspected' && input.found instanceof ClawrdenError)
            seen.push(`inspected ${input.found.code}`);
          if (input.type === 'mirror-end' && 'reason' in input.outcome)
            seen.push(`mirrorEnd ${input.outcome.reason}`);
          end();
        });
      });
    },
  });
  const client = await gateway.connect(relay);
  const reasons = [...errorCodes, 'made-up', '__proto__', 'x'.repeat(5000)];
  const possible = [
    ...[...relayRefusals].map((code) => `refusal ${code}`),
    ...[...mirrorEnds].flatMap((code) => [`inspected ${code}`, `mirrorEnd ${code}`]),
  ];
  const place = new Place(client);
  let refused = 0;
  for (const reason of reasons) {
    const ends = [
      await place.execute({ refusal: { reason, text: '' } }),
      await place.execute({
        args: ['inspected'],
        answer: { $case: 'inspected', value: { found: [], reason, text: '' } },
      }),
      await place.execute({
        args: ['mirrorEnd'],
        answer: { $case: 'mirrorEnd', value: { code: 0, signal: 0, reason, text: '', usage: undefined } },
      }),
    ];
    refused += ends.filter((end) => end.startsWith('3 no relay has a reason to say ')).length;
  }
  expect(seen.toSorted()).toEqual(possible.toSorted());
  expect(refused).toBe(3 * reasons.length - possible.length);
  expect(incidents).toHaveLength(refused);
  expect(incidents[0]).toMatch(
    /^relay-impossible: relay host-7 at 127.0.0.1:\d+: no relay has a reason to say "denied-by-rule"$/,
  );
  expect(Math.max(...incidents.map((text) => text.length))).toBeLessThan(300);
});
