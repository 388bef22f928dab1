import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly path: string;
  readonly event: string;
  readonly delivery: string;
  readonly text: string;
  readonly body: ReceivedBody;
  /** Of the signature: whether it is that of this body, and its time in seconds. */
  readonly isSigned: boolean;
  readonly seconds: number;
}

interface ReceivedBody extends Readonly<Record<string, unknown>> {
  readonly question?: Readonly<Record<string, unknown>>;
}

/** A receiver of webhooks on loopback, as its owner would write one. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** What it answers from now on: a status, with headers. */
  answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
}

/** `tls`: its certificate, with what stands between it and the root, and its key. */
export async function startReceiver(
  secret: string,
  port = 0,
  tls?: { readonly cert: string; readonly key: string },
): Promise<Receiver> {
  const received: Received[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    void text(request).then((said) => {
      received.push(toReceived(request, said, secret));
      response.writeHead(receiver.answer.status, receiver.answer.headers).end();
    });
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${bound}/hook`,
    port: bound,
    received,
    answer: { status: 204 },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

function toReceived({ url = '', headers }: IncomingMessage, said: string, secret: string): Received {
  const header = (name: string) => String(headers[name] ?? '');
  const [, seconds = '', code = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header('clawrden-signature')) ?? [];
  return {
    path: url,
    event: header('clawrden-event'),
    delivery: header('clawrden-delivery'),
    text: said,
    body: JSON.parse(said || '{}') as ReceivedBody,
    isSigned: createHmac('sha256', secret).update(`${seconds}.${said}`).digest('hex') === code,
    seconds: Number(seconds),
  };
}
