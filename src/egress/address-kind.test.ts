import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type AddressKind, addressKind } from './address-kind.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 50_000 : 5000;

/** The registries of special addresses (IANA) by hand, and not by the library: the strictest row counts. */
const rows4: readonly (readonly [AddressKind, readonly string[]])[] = [
  [
    'never',
    ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32', '168.63.129.16/32'].concat(
      '100.100.100.200/32',
      '192.0.0.192/32',
    ),
  ],
  ['loopback', ['127.0.0.0/8']],
  [
    'private',
    [
      '10.0.0.0/8',
      '100.64.0.0/10',
      '172.16.0.0/12',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.31.196.0/24',
    ].concat(
      ['192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15'],
      ['198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
    ),
  ],
];
const lists = rows4.map(([kind, networks]) => [kind, blockList(networks)] as const);

const number4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  // The borders of every range, one off on both sides.
  fc.constantFrom(...rows4.flatMap(([, networks]) => networks.flatMap(borders))),
);

test('A-63: an IPv4 address is of the kind that the registries say', () => {
  fc.assert(
    fc.property(number4, (number) => {
      expect(addressKind(dotted(number))).toBe(oracle(number));
    }),
    { numRuns },
  );
});

const wraps: readonly (readonly [string, (hex: string, other: string) => string])[] = [
  ['mapped', (hex) => `::ffff:${hex}`],
  ['mapped in full', (hex) => `0:0:0:0:0:FFFF:${hex}`],
  ['translated', (hex) => `::ffff:0:${hex}`],
  ['NAT64', (hex) => `64:ff9b::${hex}`],
  ['6to4', (hex, other) => `2002:${hex}::${other}`],
  ['ISATAP', (hex) => `2606:4700::5efe:${hex}`],
];

test.each(wraps)(
  'A-63: an IPv6 address with an IPv4 address in it (%s) is what that one is',
  (_name, wrap) => {
    fc.assert(
      fc.property(number4, fc.integer({ min: 1, max: 0xffff }), (number, other) => {
        expect(addressKind(wrap(hexPair(number), other.toString(16)))).toBe(oracle(number));
      }),
      { numRuns: numRuns / 5 },
    );
  },
);

test('A-63: Teredo is as strict as the stricter of its server and its client', () => {
  fc.assert(
    fc.property(number4, number4, (server, client) => {
      const text = `2001:0:${hexPair(server)}:8000:ffff:${hexPair(~client >>> 0)}`;
      expect(addressKind(text)).toBe(stricter(oracle(server), oracle(client)));
    }),
    { numRuns },
  );
});

test('A-63: of all IPv6 addresses only those of 2000::/3 are public', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      fc.pre(isIP(text) === 6 && !text.includes('.'));
      const first = Number.parseInt(text.startsWith('::') ? '0' : (text.split(':')[0] ?? ''), 16);
      const isInside = first >= 0x2000 && first < 0x4000;
      if (!isInside && !/^(::|0|64:ff9b|.*:5efe:)/i.test(text)) expect(addressKind(text)).not.toBe('public');
    }),
    { numRuns },
  );
});

describe('A-63: by name', () => {
  it.each([
    ['::', 'never'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['fe80::1', 'never'],
    ['febf::1', 'never'],
    ['ff02::1', 'never'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'never'],
    ['fd00:0ec2:0:0:0:0:0:0254', 'never'],
    ['fd00:ec2::253', 'private'],
    ['fec0::1', 'private'],
    ['100::1', 'private'],
    ['2001:db8::1', 'private'],
    ['3fff::1', 'private'],
    ['5f00::1', 'private'],
    ['4000::1', 'private'],
    ['64:ff9b:1::808:808', 'never'],
    ['64:ff9b:1:7f00:0:100::', 'never'],
    ['2606:4700::1', 'public'],
    ['2a00:1450:4001::200e', 'public'],
  ] as const)('%s is %s', (text, kind) => {
    expect(addressKind(text)).toBe(kind);
  });
});

function oracle(number: number): AddressKind {
  return lists.find(([, list]) => list.check(dotted(number), 'ipv4'))?.[0] ?? 'public';
}

function stricter(a: AddressKind, b: AddressKind): AddressKind {
  return (['never', 'loopback', 'private'] as const).find((kind) => kind === a || kind === b) ?? 'public';
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), 'ipv4');
  }
  return list;
}

function borders(network: string): number[] {
  const [address = '', prefix] = network.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(prefix)) - 1;
  return [first - 1, first, last, last + 1].filter((number) => number >= 0 && number <= 0xffffffff);
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.');
}

function hexPair(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
