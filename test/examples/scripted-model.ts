import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Text, calls of tools, or an error of the server. */
export type Says =
  | { readonly content: string }
  | { readonly calls: readonly { readonly name: string; readonly arguments: string }[] }
  | { readonly status: number };

/** Speaks the chat completions of OpenAI; what it says is a script. */
export interface ScriptedModel extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  readonly asked: Asked[];
  readonly headers: object[];
}

/** On loopback, unless `address` is another one of this machine. */
export async function startScriptedModel(
  script: (turn: number) => Says,
  address = '127.0.0.1',
  port = 0,
): Promise<ScriptedModel> {
  const [asked, headers]: [Asked[], object[]] = [[], []];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    headers.push(request.headers);
    asked.push((await json(request)) as Asked);
    const says = script(asked.length);
    if ('status' in says) return void response.writeHead(says.status).end('busy\nand more');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(completionOf(says, asked.length)));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, address);
  await once(server, 'listening');
  return {
    ...{ asked, headers, url: `http://${address}:${(server.address() as AddressInfo).port}/v1` },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function completionOf(says: Exclude<Says, { status: number }>, turn: number): object {
  const message =
    'content' in says
      ? says
      : {
          content: null,
          tool_calls: says.calls.map((call, at) => ({
            id: `call-${turn}-${at}`,
            type: 'function',
            function: call,
          })),
        };
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'scripted' },
    choices: [
      {
        ...{ index: 0, message: { role: 'assistant', ...message } },
        finish_reason: 'content' in says ? 'stop' : 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
