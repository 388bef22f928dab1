import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressKey } from './address-key.ts';
import { ConnectionBounds, type Counted } from './bounds.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';

interface Peer extends Counted {
  closed: boolean;
}

const peer = (address: string): Peer => ({ address, name: undefined, closed: false });

test('A-88: connections without a name displace the oldest of their kind, never one with a name', () => {
  const bounds = new ConnectionBounds<Peer>({ connections: 10, perAddress: 3 }, () => 0);
  const known = peer('10.0.0.1');
  expect(bounds.add(known)).toEqual({ displaced: undefined });
  expect(bounds.prove(known, 'relay:a')).toBe(true);
  const [first, second] = [peer('10.0.0.1'), peer('10.0.0.1')];
  expect([bounds.add(first), bounds.add(second)]).toEqual([
    { displaced: undefined },
    { displaced: undefined },
  ]);
  expect(bounds.add(peer('10.0.0.1'))).toEqual({ displaced: first });
  expect(bounds.add(peer('10.0.0.1'))).toEqual({ displaced: second });
  expect(bounds.add(peer('10.0.0.2'))).toEqual({ displaced: undefined });
});

test('A-522 P20: a flood from few addresses displaces nobody of another address, however fast it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 40 }), fc.integer({ min: 1, max: 8 }), (addresses, honest) => {
      let now = 0;
      const bounds = new ConnectionBounds<Peer>({ connections: 64, perAddress: 16 }, () => now);
      const flood = (n: number) => {
        now += 1000 / (90 * addresses);
        return bounds.add(peer(`10.0.0.${n % addresses}`));
      };
      for (let n = 0; n < 200; n += 1) flood(n);
      const others = Array.from({ length: honest }, (_, n) => peer(`10.1.0.${n}`));
      for (const each of others) expect(bounds.add(each)).not.toHaveProperty('refused');
      for (let n = 0; n < 1000; n += 1) {
        const placed = flood(n);
        expect(others).not.toContain('displaced' in placed ? placed.displaced : undefined);
      }
      for (const [n, each] of others.entries()) expect(bounds.prove(each, `person:${n}`)).toBe(true);
    }),
    { numRuns: long ? 200 : 20 },
  );
});

test('A-536 P20: an address whose handshakes fail connects ten times as seldom, and others as often as before', () => {
  let now = 0;
  const bounds = new ConnectionBounds<Peer>({ connections: 1000, perAddress: 1000 }, () => now);
  /** In ten seconds, of a hundred each second. */
  const taken = (address: string, hasFailed: boolean) => {
    let count = 0;
    for (let n = 0; n < 1000; n += 1) {
      now += 10;
      const one = peer(address);
      if ('refused' in bounds.add(one)) continue;
      count += 1;
      bounds.remove(one, hasFailed);
    }
    return count;
  };
  expect(taken('10.0.0.1', true)).toBeLessThan(125);
  expect(taken('10.0.0.1', true)).toBeLessThan(105);
  expect(taken('10.0.0.2', false)).toBe(1000);
});

test('A-88: one name has as many as one address, and an address connects no more often than a hundred times a second', () => {
  let now = 0;
  const bounds = new ConnectionBounds<Peer>({ connections: 1000, perAddress: 2 }, () => now);
  const peers = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map(peer);
  for (const each of peers) bounds.add(each);
  expect(peers.map((each) => bounds.prove(each, 'relay:a'))).toEqual([true, true, false]);
  const often = () => 'refused' in bounds.add(peer('10.0.0.9'));
  expect(Array.from({ length: 210 }, often).filter(Boolean)).toHaveLength(10);
  now += 50;
  expect(Array.from({ length: 10 }, often).filter(Boolean)).toHaveLength(5);
});

test('A-411: behind proxies only the sum counts, and who has shown no name still makes room', () => {
  const bounds = new ConnectionBounds<Peer>({ connections: 400, perAddress: 3, areProxies: true }, () => 0);
  const [known, ...others] = Array.from({ length: 400 }, () => peer('10.0.0.1'));
  for (const each of [known!, ...others]) expect(bounds.add(each)).toEqual({ displaced: undefined });
  expect(bounds.prove(known!, 'person:ann')).toBe(true);
  expect(bounds.add(peer('10.0.0.1'))).toEqual({ displaced: others[0] });
});

test('A-88: whatever comes, proves itself and goes: no bound is passed, and nothing is left of it', () => {
  const event = fc.record({ kind: fc.constantFrom('come', 'prove', 'go'), who: fc.nat(9), at: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 300 }), (events) => {
      const limits = { connections: 8, perAddress: 3 };
      let now = 0;
      const bounds = new ConnectionBounds<Peer>(limits, () => now);
      let open: Peer[] = [];
      const leave = (one: Peer | undefined) => {
        if (one === undefined) return;
        bounds.remove(one);
        open = open.filter((each) => each !== one);
      };
      for (const { kind, who, at } of events) {
        now += at;
        const one = open[who % Math.max(open.length, 1)];
        if (kind === 'go') leave(one);
        if (
          kind === 'prove' &&
          one !== undefined &&
          one.name === undefined &&
          !bounds.prove(one, `n${who % 2}`)
        )
          leave(one);
        if (kind !== 'come') continue;
        const next = peer(`10.0.0.${who % 4}`);
        const placed = bounds.add(next);
        if ('refused' in placed) continue;
        open.push(next);
        if (placed.displaced !== undefined) expect(placed.displaced.name).toBeUndefined();
        leave(placed.displaced);
        const ofAddress = open.filter(({ address }) => address === next.address);
        expect(ofAddress.length).toBeLessThanOrEqual(limits.perAddress);
        expect(open.length).toBeLessThanOrEqual(limits.connections);
      }
      for (const one of [...open]) leave(one);
      now += 10_000;
      bounds.tidy();
      for (let n = 0; n < limits.connections; n++)
        expect(bounds.add(peer(`10.1.0.${n}`))).toEqual({ displaced: undefined });
    }),
    { numRuns: long ? 20_000 : 300 },
  );
});

test('A-519 P20: names of many connections leave room for a newcomer, behind one address and in all', () => {
  const bounds = new ConnectionBounds<Peer>({ connections: 64, perAddress: 16 }, () => 0);
  const come = (address: string, name: string) => {
    const one = peer(address);
    const placed = bounds.add(one);
    if ('refused' in placed) return undefined;
    if (placed.displaced !== undefined) bounds.remove(placed.displaced);
    bounds.prove(one, name, 8);
    return one.name;
  };
  for (let n = 0; n < 64; n++) come(`10.0.0.${n % 8}`, `many${n % 8}`);
  for (let n = 0; n < 16; n++) come('10.0.1.1', `many${n % 2}`);
  for (let n = 0; n < 8; n++) expect(come('10.0.1.1', `few${n}`)).toBe(`few${n}`);
  for (let n = 0; n < 8; n++) expect(come(`10.0.2.${n}`, `other${n}`)).toBe(`other${n}`);
});

test('A-519 P20: however many a name has, a newcomer gets in, and a name keeps its only connection', () => {
  const one = { who: fc.oneof(fc.nat(1), fc.nat(9)), from: fc.nat(5), pick: fc.nat(99) };
  const event = fc.record({ kind: fc.constantFrom('come', 'come', 'prove', 'prove', 'prove', 'go'), ...one });
  const limits = fc.record({
    connections: fc.integer({ min: 2, max: 20 }),
    perAddress: fc.integer({ min: 2, max: 9 }),
  });
  let [pressed, gaveUp] = [0, 0];
  const holds = fc.property(limits, fc.array(event, { maxLength: 200, size: 'max' }), (most, events) => {
    let now = 0;
    const bounds = new ConnectionBounds<Peer>(most, () => now);
    const open = new Set<Peer>();
    const leave = (left: Peer) => {
      open.delete(left);
      bounds.remove(left);
    };
    const named = (name: string) => [...open].filter((each) => each.name === name);
    const at = (address: string) => [...open].filter((each) => each.address === address);
    const isSpread = (peers: Peer[]) => new Set(peers.map(({ name }) => name)).size === peers.length;
    for (const { kind, who, from, pick } of events) {
      now += 1000;
      const picked = [...open][pick % Math.max(open.size, 1)];
      if (kind === 'go' && picked !== undefined) leave(picked);
      if (kind === 'prove' && picked !== undefined && picked.name === undefined) {
        const name = `n${who}`;
        const isFirst = named(name).length === 0;
        const before = new Map([...open].flatMap((each) => (each.name ? [[each, each.name] as const] : [])));
        const mayStay = bounds.prove(picked, name);
        if (isFirst) expect(mayStay).toBe(true);
        for (const [each, was] of before) {
          if (each.name === was) continue;
          gaveUp += 1;
          expect(was).not.toBe(name);
          expect(named(was).length).toBeGreaterThan(0);
        }
      }
      if (kind !== 'come') continue;
      const next = peer(`10.0.0.${from}`);
      const ofAddress = at(next.address);
      const isFull = open.size === most.connections || ofAddress.length === most.perAddress;
      const placed = bounds.add(next);
      if ('refused' in placed) {
        // Only where everybody has one place.
        expect(isFull).toBe(true);
        expect(isSpread(ofAddress.length === most.perAddress ? ofAddress : [...open])).toBe(true);
        continue;
      }
      if (isFull) pressed += 1;
      open.add(next);
      if (placed.displaced !== undefined) {
        expect(placed.displaced.name).toBeUndefined();
        leave(placed.displaced);
      }
      expect(open.size).toBeLessThanOrEqual(most.connections);
      expect(at(next.address).length).toBeLessThanOrEqual(most.perAddress);
    }
  });
  fc.assert(holds, { numRuns: long ? 20_000 : 500 });
  // It was tried where there is no room.
  expect(Math.min(pressed, gaveUp)).toBeGreaterThan(100);
});

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::ffff:a01:203', '10.1.2.3'],
  ['0:0:0:0:0:FFFF:0a01:0203', '10.1.2.3'],
  ['64:ff9b::a01:203', '10.1.2.3'],
  ['64:ff9b::10.1.2.3', '10.1.2.3'],
  ['64:ff9b:1::10.1.2.3', '64:ff9b:1:0'],
  ['::10.1.2.3', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:DB8::1', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('A-623: %s is counted as %s', (address, key) => expect(addressKey(address)).toBe(key));
