import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { failWith } from '../../src/cut-answer.ts';
import { noAnswerFrom } from '../../src/egress/egress-error.ts';
import { noAnswer } from '../../src/no-answer.ts';
import type { PageUrl } from './page-url.ts';

const mostHeaderBytes = 64 * 1024;

const wanted = {
  Accept: 'text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8, */*;q=0.1',
  'Accept-Encoding': 'gzip, deflate, br',
  'User-Agent': 'clawrden',
  Connection: 'close',
} as const;

/** Asks for one page over a connection that is there, and resolves with the head of the answer. */
export async function askPage(
  socket: Socket,
  { href }: PageUrl,
  method: 'GET' | 'HEAD',
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { host, pathname, search } = new URL(href);
  const call = request({
    // An agent, `false` too, would make a connection of its own, to wherever it likes.
    createConnection: () => socket,
    ...{ method, path: `${pathname}${search}`, headers: { Host: host, ...wanted }, setHost: false, signal },
    ...{ maxHeaderSize: mostHeaderBytes, insecureHTTPParser: false },
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  call.end();
  const [answer] = await Promise.race([answered, noAnswer(call, noAnswerFrom)]);
  failWith(call, answer);
  return answer;
}
