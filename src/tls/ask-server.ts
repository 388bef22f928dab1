import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { globalAgent, request as requestTls } from 'node:https';
import { abortable } from '../abort.ts';
import { failWith } from '../cut-answer.ts';
import { judgedLookup, judgeWritten } from '../egress/judged-lookup.ts';
import { noAnswer } from '../no-answer.ts';
import { GuardedAgent } from './guarded-agent.ts';

export interface ServerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Where it may lead to; anywhere if it does not say. A proxy of the environment, if there is one, judges names itself. */
  readonly reach?: { readonly private: boolean; readonly byProxy: boolean };
}

/**
 * One request to a server that may be hostile, over a connection of its own. Resolves with the head of the answer, which
 * the caller reads or destroys; `signal` ends both. A redirect is an answer as any other.
 */
export async function askServer(
  url: string,
  { body, reach, ...rest }: ServerRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.startsWith('https:');
  const own = isSecure ? new GuardedAgent() : false;
  if (reach !== undefined) judgeWritten(url, reach.private);
  const options = { ...rest, ...(reach !== undefined && { lookup: judgedLookup(reach.private) }) };
  const agent = isProxied() && reach?.byProxy !== false ? undefined : own;
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
