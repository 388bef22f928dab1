import fc from 'fast-check';

/** Nobody may be led there: by hand, from IANA's registries of special addresses. */
const networks4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
  ...['169.254.169.254/32', '100.100.100.200/32', '168.63.129.16/32'],
];
const networks6 = [
  '::',
  '::1',
  'fe80::',
  'fec0::',
  'fc00::',
  'fd00::',
  'ff02::',
  '2001:db8::',
  '100::',
  '64:ff9b:1::',
];

/** As a URL may write an address. The first six are names of one for DNS, too. */
const wraps: readonly ((number: number) => string)[] = [
  dotted,
  (number) => `::ffff:${pair(number)}`,
  (number) => `64:ff9b::${pair(number)}`,
  (number) => `2002:${pair(number)}::1`,
  (number) => `2001:0:${pair(number)}:0:ffff:f7f7:f7f7`,
  (number) => `2001:0:808:808:0:ffff:${pair(~number >>> 0)}`,
];
const spellings: readonly ((number: number) => string)[] = [
  String,
  (number) => `0x${number.toString(16)}`,
  (number) =>
    bytesOf(number)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  (number) => `${bytesOf(number)[0]}.${number & 0xffffff}`,
];

const number4 = fc.constantFrom(...networks4).chain((network) => {
  const [address = '', prefix] = network.split('/');
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return fc.integer({ min: first, max: first + 2 ** (32 - Number(prefix)) - 1 });
});

/** As DNS tells it. */
export const forbidden = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...wraps), number4).map(([wrap, number]) => wrap(number)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...networks6), fc.integer({ min: 0, max: 0xffff }))
      .map(([start, end]) => (start.length < 4 ? start : `${start}${end.toString(16)}`)),
  },
);

/** In other words, which a URL may have. */
export const misspelt = fc
  .tuple(fc.constantFrom(...spellings), number4)
  .map(([spell, number]) => spell(number));

export function literal(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function dotted(number: number): string {
  return bytesOf(number).join('.');
}

function bytesOf(number: number): number[] {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
}

function pair(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
