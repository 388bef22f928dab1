import type { Duplex } from 'node:stream';
import { deadline } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import { type Endpoint, parseEndpoint } from '../../src/egress/endpoint.ts';
import { awaitHello, unrecognizedName } from './await-hello.ts';
import { type ReachParts, reachDestination } from './reach-destination.ts';
import type { Asked } from './read-request.ts';
import { splice } from './splice.ts';
import { endIfIdle, type Visit } from './visit.ts';

const tlsPort = 443;
const helloWithinMs = 30_000;
const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** HTTP CONNECT: bytes both ways, of which only the server's name in a TLS hello is read. */
export async function tunnel(
  client: Duplex,
  { request, head }: Asked & { is: 'tunnel' },
  visit: Visit,
  parts: ReachParts & { readonly idleMs: number },
): Promise<void> {
  const endpoint = endpointOf(request.url ?? '', visit);
  const { socket } = await reachDestination(visit, endpoint, parts);
  try {
    // If the server resets before the client's hello is here: `splice` sees that it is gone.
    socket.on('error', () => {});
    endIfIdle(socket, parts.idleMs);
    visit.facts.isAnswered = true;
    client.write(established);
    if (head.length > 0) client.unshift(head);
    if (endpoint.port === tlsPort) await forwardHello(client, socket, endpoint, visit);
    await splice(client, socket, visit.spend, visit.signal);
  } finally {
    socket.destroy();
  }
}

function endpointOf(target: string, { facts }: Visit): Endpoint {
  facts.to = target;
  const endpoint = parseEndpoint(target);
  if (endpoint === undefined) throw new EgressError('invalid', 'CONNECT must name HOST:PORT');
  return endpoint;
}

async function forwardHello(client: Duplex, server: Duplex, endpoint: Endpoint, visit: Visit): Promise<void> {
  const late = () => new EgressError('late', `no TLS hello came within ${helloWithinMs / 1000} s`);
  using until = deadline(helloWithinMs, late, visit.signal);
  try {
    const hello = await awaitHello(client, endpoint, until.signal);
    visit.spend('up', hello.length);
    server.write(hello);
  } catch (error) {
    if (error instanceof EgressError && error.fault === 'denied') client.end(unrecognizedName);
    throw until.signal.aborted ? until.signal.reason : error;
  }
}
