import { createServer } from 'node:net';
import { startDns, type Zone } from './dns-server.ts';

/** Of the namespace that is the internet, and every inside network: it has every address. */
export type InternetOrder = { readonly zone: Zone } | { readonly tell: 'seen' };

export interface Seen {
  /** `ADDRESS:PORT` of each connection that came. */
  readonly connections: readonly string[];
  readonly asked: readonly string[];
}

const ports = [22, 80, 443, 2375, 2376, 4873, 8080];
const connections: string[] = [];
const dns = startDns();

for (const port of ports) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    connections.push(`${socket.localAddress?.replace(/^::ffff:/, '')}:${port}`);
    socket.end(`${socket.localAddress}\n`);
  });
  server.listen(port, '::');
}

process.on('message', (order: InternetOrder) => {
  if ('zone' in order) dns.zone = order.zone;
  process.send?.({ connections: connections.splice(0), asked: dns.asked.splice(0) } satisfies Seen);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
