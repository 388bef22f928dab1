import { once } from 'node:events';
import { Agent, type AgentOptions } from 'node:https';
import { connect, type LookupFunction, Socket, type TcpSocketConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { deadline } from '../abort.ts';
import { guardServer } from './guard-server.ts';
import { keyExchanges } from './key-exchanges.ts';

type Create = Parameters<Agent['createConnection']>;
/** What Node hands on besides what its type says. */
type Where = Create[0] & { readonly lookup?: LookupFunction; readonly keepAlive?: boolean };

const connectWithinMs = 10_000;

/** For calls to servers that may be hostile. A connection that does not stand after 10 s fails. */
export class GuardedAgent extends Agent {
  constructor(options: AgentOptions = {}) {
    super({ ecdhCurve: keyExchanges, ...options });
  }

  override createConnection(...[options, done]: Create): undefined {
    const secured = (raw: Socket): Duplex => {
      const guard = guardServer(raw);
      const over: Create[0] & { readonly socket: Socket } = { ...options, socket: raw };
      try {
        const tls = super.createConnection(over) as TLSSocket;
        return tls.once('secureConnect', () => guard.secured(tls));
      } catch (error) {
        // A certificate or a key that cannot be read.
        raw.destroy();
        throw error;
      }
    };
    connected(options as Where)
      .then(secured)
      .then(
        (tls) => done?.(null, tls),
        // There is no such value, but the type requires one.
        (error) => done?.(error, new Socket()),
      );
  }
}

/** TLS needs a connection that stands: which of a name's addresses answers first is not known before. */
async function connected({ host, port, lookup, keepAlive }: Where): Promise<Socket> {
  const options: TcpSocketConnectOpts = {
    ...{ host: host ?? 'localhost', port: Number(port), noDelay: true },
    ...(lookup !== undefined && { lookup }),
    ...(keepAlive !== undefined && { keepAlive }),
  };
  const raw = connect(options);
  const late = () => new Error(`there is no connection after ${connectWithinMs / 1000} s`);
  using until = deadline(connectWithinMs, late);
  try {
    await once(raw, 'connect', { signal: until.signal });
    return raw.on('error', () => {});
  } catch (error) {
    raw.destroy();
    throw until.signal.aborted ? until.signal.reason : error;
  }
}
