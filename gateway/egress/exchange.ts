import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { failWith } from '../../src/cut-answer.ts';
import { EgressError, noAnswerFrom } from '../../src/egress/egress-error.ts';
import { noAnswer } from '../../src/no-answer.ts';
import { countPiecesOf } from '../../src/wire/small-pieces.ts';
import { agentPrincipal } from '../ports/principal.ts';
import { headerBytes, type RawHeaders, withoutHeaders, withoutHopByHop } from './http-headers.ts';
import type { Asked } from './read-request.ts';
import { carry } from './splice.ts';
import { endIfIdle, type Visit } from './visit.ts';

/** What goes out instead of what the client sent. */
export interface Onward {
  /** Connected, and ours from here on. */
  readonly socket: Socket;
  readonly path: string;
  readonly host: string;
  /** Besides the client's own. */
  readonly headers: RawHeaders;
  /** Of the answer; the name in small letters. */
  readonly keepsBack: (name: string, value: string) => boolean;
}

const mostHeaderBytes = 64 * 1024;

/**
 * One request, made anew from what the client's parser read, and its answer, as they come. A redirect is an answer like
 * any other.
 */
export async function exchange(
  asked: Asked & { is: 'request' },
  onward: Onward,
  visit: Visit,
  idleMs: number,
): Promise<void> {
  const { socket } = onward;
  let cut: EgressError | undefined;
  try {
    endIfIdle(socket, idleMs);
    countPiecesOf(socket, agentPrincipal(visit.way.agent));
    const { call, sent } = send(asked.request, onward, visit);
    sent.catch((error: unknown) => {
      if (error instanceof EgressError && error.fault !== 'unreachable') cut = error;
    });
    const answer = await answerOf(call, sent);
    passHead(asked, answer, onward, visit);
    await carry(answer, asked.response, 'down', visit.spend, visit.signal);
  } catch (error) {
    // An upload that we have cut off cuts off its answer.
    throw cut ?? error;
  } finally {
    socket.destroy();
  }
}

function send(incoming: IncomingMessage, { socket, path, host, headers }: Onward, visit: Visit) {
  const { method = '', rawHeaders } = incoming;
  const kept = withoutHeaders(withoutHopByHop(rawHeaders), (name) => name === 'host');
  const raw = [...['Host', host], ...kept, ...headers, ...framingOf(incoming), ...['Connection', 'close']];
  visit.spend('up', headerBytes(raw) + path.length);
  // An agent, `false` too, would make a connection of its own, to wherever it likes.
  const call = request({
    ...{ method, path, headers: raw, createConnection: () => socket, setHost: false },
    ...{ signal: visit.signal, maxHeaderSize: mostHeaderBytes, insecureHTTPParser: false },
  });
  const sent = carry(incoming, call, 'up', visit.spend, visit.signal);
  return { call, sent };
}

/** A body has the length that the client stated, or chunks; a request without one says so. */
function framingOf({ headers, method = '' }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const mayHaveBody = !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
  return headers['content-length'] === undefined && mayHaveBody ? ['Content-Length', '0'] : [];
}

async function answerOf(call: ReturnType<typeof request>, sent: Promise<void>): Promise<IncomingMessage> {
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  // A server may answer before it has read everything, and then end the connection.
  sent.catch(() => {});
  answered.catch(() => {});
  const failed = sent.then(() => answered);
  const [answer] = await Promise.race([answered, failed, noAnswer(call, noAnswerFrom)]);
  failWith(call, answer);
  return answer;
}

function passHead(
  { response }: Asked & { is: 'request' },
  answer: IncomingMessage,
  { keepsBack }: Onward,
  { facts, spend }: Visit,
): void {
  const { statusCode = 502, statusMessage = '', rawHeaders } = answer;
  const raw = withoutHeaders(withoutHopByHop(rawHeaders), keepsBack);
  spend('down', headerBytes(raw));
  try {
    response.writeHead(statusCode, statusMessage.replace(/[^\x20-\x7e\x80-\xff]/g, '?'), [
      ...raw,
      'Connection',
      'close',
    ]);
  } catch (error) {
    throw new EgressError('unreachable', 'its answer has headers that nobody may send', String(error));
  }
  facts.isAnswered = true;
  // At once, and byte for byte: `flushHeaders` writes letters in UTF-8 that came as bytes.
  response.write(Buffer.alloc(0));
}
