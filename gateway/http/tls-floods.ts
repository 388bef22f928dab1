import type { Server, Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { keyedBuckets } from '../../src/keyed-buckets.ts';
import { recordOverhead, recordsPerSecond, TlsRecords } from '../../src/tls/tls-records.ts';
import { tokenBucket } from '../../src/token-bucket.ts';
import { addressKey, connectionKey } from '../connections/address-key.ts';
import { contentRates } from './content-rates.ts';

/** What a listener's connections bring over TLS beside content. */
export interface TlsFloods {
  /** Whether its address flooded a moment ago. */
  readonly isOut: (address: string) => boolean;
  readonly accepted: (socket: Socket) => void;
  /** Whether a connection that closes never completed its handshake. */
  readonly hasFailed: (socket: Socket) => boolean;
  /** Ends those that bring far too much. Call it some times a second. */
  readonly weigh: () => void;
}

export interface TlsFloodsParts {
  readonly areProxies?: boolean | undefined;
  /** Whether the connection has shown who uses it. */
  readonly isProven: (socket: Socket) => boolean;
  readonly onFlood: (socket: Socket) => void;
}

/** How long an address that flooded is not served. */
const outMs = 5000;
const mostAddresses = 4096;

const none: TlsFloods = {
  isOut: () => false,
  accepted: () => {},
  hasFailed: () => false,
  weigh: () => {},
};

/** Those that flooded a moment ago, by key. */
function heldBack(log: Pick<Logger, 'warn'>) {
  // One token that takes five seconds to come again.
  const outOf = keyedBuckets(mostAddresses, () => tokenBucket(1000 / outMs, undefined, 1));
  return {
    hold: (key: string, address: string | undefined) => {
      if (outOf(key).take(1)) log.warn({ address }, 'it floods with TLS records: it is held back');
    },
    isOut: (key: string) => !outOf(key).isFull(),
  };
}

function openRecords() {
  const records = new Map<Socket, TlsRecords>();
  const byKey = new Map<string, Socket>();
  return {
    records,
    add: (socket: Socket) => {
      const key = connectionKey(socket);
      byKey.set(key, socket);
      records.set(socket, new TlsRecords(socket, 'client'));
      socket.once('close', () => {
        if (byKey.get(key) === socket) byKey.delete(key);
        records.delete(socket);
      });
    },
    below: (tls: TLSSocket) => byKey.get(connectionKey(tls)),
  };
}

/** Of a listener without TLS there is nothing to say. */
export function watchTls(
  server: Server,
  log: Pick<Logger, 'warn'>,
  { areProxies = false, isProven, onFlood }: TlsFloodsParts,
): TlsFloods {
  if (!(server instanceof TlsServer)) return none;
  const { records, add, below } = openRecords();
  const secured = new WeakSet<Socket>();
  const rateOf = keyedBuckets(mostAddresses, () => tokenBucket(recordsPerSecond * recordOverhead));
  // A proxy brings many clients by one address.
  const keyOf = (socket: Socket) =>
    areProxies ? connectionKey(socket) : addressKey(socket.remoteAddress ?? '');

  const { hold, isOut } = heldBack(log);
  const floodedAtOnce = (raw: Socket) => {
    flooded(raw);
    endOthers(raw);
  };
  const count = contentRates({ keyOf, isProven, onFlood: floodedAtOnce });

  function flooded(socket: Socket): void {
    hold(keyOf(socket), socket.remoteAddress);
    onFlood(socket);
    socket.destroy();
  }

  /** What has come in over each of them would be read to its end in this same turn. */
  function endOthers(raw: Socket): void {
    const key = keyOf(raw);
    for (const socket of records.keys()) if (keyOf(socket) === key && !isProven(socket)) socket.destroy();
  }

  server.on('secureConnection', (tls: TLSSocket) => {
    const raw = below(tls);
    const its = raw && records.get(raw);
    if (raw === undefined || its === undefined) return void tls.destroy();
    if (its.isHandshakeTooLong()) return flooded(raw);
    secured.add(raw);
    its.secured(
      tls,
      () => flooded(raw),
      () => endOthers(raw),
    );
    count(tls, raw);
  });
  return {
    isOut: (address) => !areProxies && isOut(addressKey(address)),
    accepted: add,
    hasFailed: (socket) => !secured.has(socket),
    weigh: () => {
      for (const [socket, each] of records) {
        const bytes = each.takeOverhead();
        const isTooMuch = bytes > 0 && !rateOf(keyOf(socket)).take(bytes);
        if (isTooMuch || each.isHandshakeTooLong()) flooded(socket);
      }
    },
  };
}
