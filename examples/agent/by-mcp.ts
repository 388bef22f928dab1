// The tools of an MCP server as the agent's own: plain HTTP by the protocol of 2026-07-28, which has no sessions.

import type { Hands, Ran } from './hands.ts';
import { firstLine, post } from './post.ts';

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

interface Result {
  readonly content: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}

const version = '2026-07-28';
const goesOn = /^state: (queued|running|waiting for a person)\nid: (\S+)$/m;
const endedBadly = /^(exit code: [1-9]|signal: )/m;

const system = `You work by the tools of a server. list_programs tells which programs you may run, help what is allowed with one of them, and execute runs it.
A program that is refused says why, and what to do instead: do that, or stop. It may wait until a person has allowed it.
Say what you did when you are done.`;

export async function handsByMcp(url: string, token: string, signal: AbortSignal): Promise<Hands> {
  const ask = (method: string, params: object, until: AbortSignal) =>
    request(url, token, method, params, until);
  const call = async (name: string, args: unknown, until: AbortSignal) =>
    (await ask('tools/call', { name, arguments: args }, until)) as Result;

  /** The server answers before its clients give up; what goes on then is waited for here, and not by the model. */
  const callToEnd = async (name: string, args: unknown, until: AbortSignal): Promise<Ran> => {
    let result = await call(name, args, until);
    while (name === 'execute') {
      const [, , id] = goesOn.exec(result.content[0]?.text ?? '') ?? [];
      if (id === undefined) break;
      result = await call('await_execution', { id }, until);
    }
    const texts = result.content.map(({ text = '' }) => text);
    const failed = result.isError === true || (name === 'execute' && endedBadly.test(texts[0] ?? ''));
    return { text: texts.join('\n'), failed };
  };

  const { tools } = (await ask('tools/list', {}, signal)) as { readonly tools: readonly Tool[] };
  return {
    system,
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    use: async (name, given, until) => callToEnd(name, JSON.parse(given), until),
  };
}

async function request(
  url: string,
  token: string,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<unknown> {
  const headers = {
    ...{
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
    },
    ...('name' in params && { 'mcp-name': String(params.name) }),
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'example-agent', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  const text = await (await post(url, headers, body, signal)).text();
  const { result, error } = answerIn(text);
  if (error !== undefined) throw new Error(error.message);
  if (result === undefined) throw new Error(`the server answers without a result: ${firstLine(text)}`);
  return result;
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** One message, or a stream of them of which the last one is the answer. */
function answerIn(text: string): Answer {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const messages = lines.map((line) => line.slice('data:'.length).trim()).filter((each) => each !== '');
  try {
    return JSON.parse(messages.at(-1) ?? text) as Answer;
  } catch {
    throw new Error(`the server answers without a message: ${firstLine(text)}`);
  }
}
