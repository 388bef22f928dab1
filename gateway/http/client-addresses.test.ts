import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientAddresses } from './client-addresses.ts';

const { addressOf } = clientAddresses({ trustProxy: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] });

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4000', '192.0.2.1'],
  ['198.51.100.7, 192.0.2.1:65535', '192.0.2.1'],
  ['192.0.2.1:4000, 127.0.0.1:80', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4000', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:4000', '192.0.2.1'],
  ['', '127.0.0.1'],
])('A-607 P17 P20: behind a proxy that says %j the client is %s, whatever its port', (said, client) => {
  const request = { socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': said } };
  expect(addressOf(request as unknown as IncomingMessage)).toBe(client);
});
