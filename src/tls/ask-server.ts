import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { LookupFunction } from 'node:net';
import { failWith } from '../cut-answer.ts';
import { noAnswer } from '../no-answer.ts';
import { GuardedAgent } from './guarded-agent.ts';

export interface ServerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly lookup?: LookupFunction;
}

/**
 * One request to a server that may be hostile, over a connection of its own. Resolves with the head of the answer, which
 * the caller reads or destroys; `signal` ends both. A redirect is an answer as any other.
 */
export async function askServer(
  url: string,
  { body, ...options }: ServerRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.startsWith('https:');
  const agent = isSecure ? new GuardedAgent() : false;
  const call = (isSecure ? requestTls : requestPlain)(url, { ...options, agent, signal });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  const noneCame = noAnswer(call, (does) => new Error(`it ${does}`));
  call.end(body);
  try {
    const [answer] = await Promise.race([answered, noneCame]);
    failWith(call, answer);
    return answer;
  } catch (error) {
    call.destroy();
    throw error;
  }
}
