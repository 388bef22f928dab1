import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { HttpConfig } from '../../src/config/gateway-config.ts';

/** Who is at the other end of a connection. */
export interface ClientAddresses {
  /** Only connections from the proxies count, if there are proxies. */
  readonly mayConnect: (address: string) => boolean;
  /** Of the peer; behind a proxy, what the proxy says. */
  readonly addressOf: (request: IncomingMessage) => string;
}

export function clientAddresses({ trustProxy }: Pick<HttpConfig, 'trustProxy'>): ClientAddresses {
  const proxies = new BlockList();
  for (const { address, prefix, family } of trustProxy) proxies.addSubnet(address, prefix, family);
  const isProxy = (address: string) => proxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  return {
    mayConnect: (address) => trustProxy.length === 0 || isProxy(plainAddress(address)),
    addressOf: ({ socket, headers }) => {
      const direct = plainAddress(socket.remoteAddress ?? '');
      if (trustProxy.length === 0) return direct;
      const said = String(headers['x-forwarded-for'] ?? '').split(',');
      const hops = said.map((hop) => plainAddress(withoutPort(hop.trim()))).filter((hop) => hop !== '');
      // The nearest that is no proxy of ours: what stands before it anybody can write.
      return hops.findLast((hop) => !isProxy(hop)) ?? direct;
    },
  };
}

/** Some proxies write it, and a client has many: `192.0.2.1:4000`, `[2001:db8::1]:4000`. */
function withoutPort(hop: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([^:]*):\d+$/.exec(hop)?.[1] ?? hop;
}

/** An IPv4 address of a socket that listens for both, as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
