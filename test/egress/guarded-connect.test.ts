import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectOrder, ConnectResult } from './connect-main.ts';
import type { Zone } from './dns-server.ts';
import {
  ask,
  gatewayAddresses,
  mayMakeNamespaces,
  startNamespaces,
  type TwoNamespaces,
} from './two-namespaces.ts';

/** Each has an address of its own, so that the internet can tell them apart. */
const zone: Zone = {
  'good.example': [['20.0.0.1']],
  'six.example': [['2606:4700::6']],
  'both.example': [['20.0.0.2', '2606:4700::2']],
  'many.example': [Array.from({ length: 100 }, (_, at) => `20.1.0.${at}`)],
  'alias.example': [['cdn.example', '20.0.0.3']],
  'inside.example': [['10.0.0.1']],
  'changes.example': [['20.0.0.4'], ['127.0.0.1']],
  'changed.example': [['20.0.0.5'], ['10.9.9.9'], ['20.0.0.5']],
  'one-inside.example': [[...Array.from({ length: 99 }, (_, at) => `20.2.0.${at}`), '10.0.0.1']],
  'six-inside.example': [['20.0.0.6', '::1']],
  'mapped.example': [['::ffff:10.0.0.1']],
  'alias-inside.example': [['metadata.example', '169.254.169.254']],
  'engine.example': [['20.0.0.8']],
  'other-engine.example': [['20.0.0.8']],
  'numbered-engine.example': [['20.0.0.9']],
  'self.example': [[gatewayAddresses[0]]],
  'self-six.example': [[gatewayAddresses[1]]],
  'self-mapped.example': [[`::ffff:${gatewayAddresses[0]}`]],
  'silent.example': ['silent'],
  'crowd.example': [Array.from({ length: 90 }, (_, at) => `20.3.0.${at}`)],
  'none.example': [[]],
};

describe.skipIf(!mayMakeNamespaces)('A-63 A-64: the guarded connector', () => {
  let site: TwoNamespaces;
  let before = 0;
  beforeAll(async () => {
    site = await startNamespaces('connect-main.ts');
    await site.internet({ zone });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  async function connect(name: string, port: number, more: Partial<ConnectOrder> = {}) {
    const order: ConnectOrder = { name, port, private: false, ...more };
    const { tried, ...result } = await ask<ConnectResult>(site.gateway, order);
    const seen = await site.internet({ tell: 'seen' });
    const attempts = tried - before;
    before = tried;
    return { ...result, attempts, seen };
  }

  it.each([
    ['good.example', '20.0.0.1'],
    ['six.example', '2606:4700::6'],
    ['both.example', /^20\.0\.0\.2$|^2606:4700::2$/],
    ['many.example', /^20\.1\.0\./],
    ['alias.example', '20.0.0.3'],
    ['20.0.0.7', '20.0.0.7'],
    ['2606:4700::7', '2606:4700::7'],
  ])('connects to %s at an address that it looked up', async (name, address) => {
    const result = await connect(name, 22);
    expect(result).toMatchObject({ fault: '', address: expect.stringMatching(address) });
    expect(result.seen.connections).toEqual([`${result.address}:22`]);
  });

  it.each([
    ['inside.example', 'is not public'],
    ['one-inside.example', 'is not public'],
    ['six-inside.example', '::1 is never reached'],
    ['mapped.example', 'is not public'],
    ['alias-inside.example', '169.254.169.254 is never reached'],
    ['127.0.0.1', 'never'],
    ['::1', 'never'],
    ['::ffff:7f00:1', 'never'],
    ['64:ff9b::7f00:1', 'never'],
    ['0.0.0.0', 'never'],
    ['169.254.169.254', 'never'],
    ['10.0.0.1', 'not public'],
    ['100.64.0.1', 'not public'],
    ['fd00::1', 'not public'],
    ['255.255.255.255', 'never'],
    ['224.0.0.1', 'never'],
    ['168.63.129.16', 'never'],
    ['engine.example', "an engine's"],
    ['other-engine.example', "an engine's"],
    ['numbered-engine.example', "an engine's"],
    ['self.example', "the gateway's"],
    ['self-six.example', "the gateway's"],
  ])('sends not one packet to %s', async (name, why) => {
    for (const port of [22, 443, 2375]) {
      const { fault, detail, attempts, seen } = await connect(name, port);
      expect({ fault, detail, attempts }).toEqual({
        fault: 'denied',
        detail: expect.stringContaining(why),
        attempts: 0,
      });
      expect(seen.connections).toEqual([]);
    }
  });

  it.each([
    'self.example',
    'self-mapped.example',
    'engine.example',
    '127.0.0.1',
    '169.254.169.254',
    'fd00:ec2::254',
  ])('sends not one packet to %s, private or not', async (name) => {
    expect(await connect(name, 2375, { private: true })).toMatchObject({ fault: 'denied', attempts: 0 });
  });

  it.each(['inside.example', '10.1.2.3', '192.168.7.7', '100.64.3.3', 'fd00::3', '203.0.113.3', '240.0.0.3'])(
    'private: true admits %s',
    async (name) => {
      const { fault, seen } = await connect(name, 4873, { private: true });
      expect({ fault, count: seen.connections.length }).toEqual({
        fault: '',
        count: name.startsWith('240') ? 1 : 1,
      });
    },
  );

  it('asks once: an answer that changes between look and connect changes nothing', async () => {
    const first = await connect('changes.example', 22);
    expect(first).toMatchObject({ fault: '', address: '20.0.0.4', seen: { connections: ['20.0.0.4:22'] } });
    // One question for each family.
    expect(first.seen.asked).toEqual(['changes.example', 'changes.example']);
    expect(await connect('changes.example', 22)).toMatchObject({ fault: 'denied', attempts: 0 });
    expect(await connect('changed.example', 22)).toMatchObject({ address: '20.0.0.5' });
    expect(await connect('changed.example', 22)).toMatchObject({ fault: 'denied', attempts: 0 });
    expect(await connect('changed.example', 22)).toMatchObject({ address: '20.0.0.5' });
  });

  it('says nothing of what is inside to the one who asked', async () => {
    const { said } = await connect('inside.example', 80);
    expect(said).toBe('inside.example:80 has an address that may not be reached');
  });

  it.each([
    ['none.example', 'unreachable', 'has no address'],
    ['unknown.example', 'unreachable', 'has no address'],
    ['silent.example', 'late', 'did not answer within 1 s'],
  ])('%s: %s', async (name, fault, said) => {
    expect(await connect(name, 80, { withinMs: 1000 })).toMatchObject({
      fault,
      said: expect.stringContaining(said),
      attempts: 0,
    });
  });

  it('says that a port is closed', async () => {
    expect(await connect('good.example', 9)).toMatchObject({ fault: 'unreachable', detail: 'ECONNREFUSED' });
  });
});
