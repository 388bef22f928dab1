import { once } from 'node:events';
import { request } from 'node:http';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { deadline } from '../abort.ts';
import { addressesIn, addressKind } from './address-kind.ts';
import { EgressError } from './egress-error.ts';
import { type Endpoint, endpointText } from './endpoint.ts';
import type { Own, OwnAddresses } from './own-addresses.ts';

export interface Wanted extends Endpoint {
  /** Addresses that are not public count, too. */
  readonly private: boolean;
}

export interface Reached {
  readonly socket: Socket;
  /** To which it is connected: the server's, or the proxy's. */
  readonly address: string;
}

/** Connects to what is wanted, or throws an EgressError. In time, and until `signal` aborts. */
export type Connect = (wanted: Wanted, signal: AbortSignal) => Promise<Reached>;

export interface GuardedConnect {
  readonly resolve: (name: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly ours: OwnAddresses;
  /** The company's own: it alone connects to names, and addresses are its matter. */
  readonly proxy?: Endpoint;
  readonly withinMs?: number;
}

export function guardedConnect(parts: GuardedConnect): Connect {
  const { withinMs = 30_000, proxy } = parts;
  return async (wanted, signal) => {
    const to = endpointText(wanted);
    const late = () => new EgressError('late', `${to} did not answer within ${withinMs / 1000} s`);
    using until = deadline(withinMs, late, signal);
    try {
      if (proxy !== undefined) return await throughProxy(wanted, proxy, until.signal);
      const addresses = await checkedAddresses(wanted, parts, until.signal);
      return await reach(wanted, addresses, until.signal);
    } catch (error) {
      if (until.signal.aborted) throw until.signal.reason;
      if (error instanceof EgressError) throw error;
      throw new EgressError('unreachable', `${to} cannot be reached`, codeOf(error));
    }
  };
}

/** All of its addresses, if all may be connected to: with one that may not, the name leads elsewhere than is meant. */
async function checkedAddresses(
  wanted: Wanted,
  { resolve, ours }: GuardedConnect,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [addresses, own] = await Promise.all([resolve(wanted.name, signal), ours(signal)]);
  for (const address of addresses) {
    const what = whyNot(address, wanted, own);
    if (what !== '')
      throw new EgressError(
        'denied',
        `${endpointText(wanted)} has an address that may not be reached`,
        `${address} ${what}`,
      );
  }
  return addresses;
}

function whyNot(address: string, wanted: Wanted, own: Own): string {
  const kind = addressKind(address);
  if (kind === 'never' || kind === 'loopback') return 'is never reached';
  if (kind === 'private' && !wanted.private) return 'is not public, and the destination is not private';
  if (addressesIn(address).some((part) => own.addresses.has(part))) return "is the gateway's, or an engine's";
  const [unfound] = own.unfound;
  return kind === 'private' && unfound !== undefined ? `may be ${unfound}, which has no address here` : '';
}

async function reach(
  { name, port }: Wanted,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Reached> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  // What was looked up is what is connected to: nobody asks a second time.
  const lookup: LookupFunction = (_name, _options, done) => done(null, found);
  const socket = connect({
    host: name,
    port,
    lookup,
    autoSelectFamily: true,
    allowHalfOpen: true,
    noDelay: true,
  });
  await connected(socket, signal);
  const { remoteAddress: address = '', localAddress } = socket;
  if (address === localAddress) {
    socket.destroy();
    throw new EgressError('denied', `${name} is the gateway`, address);
  }
  return { socket, address };
}

async function throughProxy(wanted: Wanted, proxy: Endpoint, signal: AbortSignal): Promise<Reached> {
  const path = endpointText(wanted);
  if (isIP(wanted.name) !== 0)
    throw new EgressError('denied', `${path} is an address, and the proxy is asked for names only`);
  const { name: host, port } = proxy;
  // Without an agent: an agent, `false` too, would make a connection of its own.
  const createConnection = () => connect({ host, port, allowHalfOpen: true, noDelay: true });
  const headers = { Host: path };
  const call = request({ method: 'CONNECT', path, headers, createConnection, signal }).end();
  const [response, socket, head] = (await once(call, 'connect', { signal })) as [
    { statusCode?: number },
    Socket,
    Buffer,
  ];
  if (response.statusCode !== 200) {
    socket.destroy();
    throw new EgressError(
      'unreachable',
      `${path} cannot be reached`,
      `the proxy says ${response.statusCode}`,
    );
  }
  if (head.length > 0) socket.unshift(head);
  return { socket, address: socket.remoteAddress ?? '' };
}

/** The socket is destroyed if it cannot connect. */
async function connected(socket: Socket, signal: AbortSignal): Promise<void> {
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
