import { text } from 'node:stream/consumers';
import { EgressError } from '../../src/egress/egress-error.ts';
import { guardedConnect, type Wanted } from '../../src/egress/guarded-connect.ts';
import { ownAddresses } from '../../src/egress/own-addresses.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';
import { activeOpens } from './active-opens.ts';

/** In the gateway's namespace: connects as it does. */
export type ConnectOrder = Wanted & { readonly withinMs?: number };

export interface ConnectResult {
  /** What the server said, and from which address; empty if there was no connection. */
  readonly said: string;
  readonly address: string;
  readonly fault: string;
  readonly detail: string;
  /** Connections that this namespace has tried since it began. */
  readonly tried: number;
}

const ours = ownAddresses(() => ['engine.example', '20.0.0.9'], [resolveName]);

process.on('message', (order: ConnectOrder) => void run(order).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run({ withinMs = 20_000, ...wanted }: ConnectOrder): Promise<ConnectResult> {
  const connect = guardedConnect({ resolve: resolveName, ours, withinMs });
  try {
    const { socket, address } = await connect(wanted, new AbortController().signal);
    const said = await text(socket);
    return { said: said.trim(), address, fault: '', detail: '', tried: activeOpens() };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { fault, detail, message } = error;
    return { said: message, address: '', fault, detail, tried: activeOpens() };
  }
}
