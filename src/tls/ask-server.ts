import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { globalAgent, request as requestTls } from 'node:https';
import type { LookupFunction } from 'node:net';
import { abortable } from '../abort.ts';
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
  const own = isSecure ? new GuardedAgent() : false;
  // Who looks names up judges where they lead to, which no proxy does.
  const agent = isProxied() && options.lookup === undefined ? undefined : own;
  const call = (isSecure ? requestTls : requestPlain)(url, { ...options, agent, signal });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  // Its error may come when nobody waits for it any more.
  answered.catch(() => {});
  const noneCame = noAnswer(call, (does) => new Error(`it ${does}`));
  call.end(body);
  try {
    // Node ends a call that has no connection yet only when that is there.
    const [answer] = await abortable(Promise.race([answered, noneCame]), signal);
    failWith(call, answer);
    return answer;
  } catch (error) {
    call.destroy();
    throw error;
  }
}

/** Node's own agents use the proxy of the environment if it was told to; only they know how. */
function isProxied(): boolean {
  return (globalAgent.options as { readonly proxyEnv?: object }).proxyEnv !== undefined;
}
