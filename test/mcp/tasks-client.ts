import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';

const protocolVersion = '2026-07-28';
const clientInfo = { name: 'test', version: '1' };

/** A session of the extension's own library, over a connected client of 2026-07-28. */
export async function connectTasks(url: string, token: string): Promise<TaskEnabledSession> {
  const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  const session = createTaskSessionFromClient(client, {
    endpointId: url,
    rawDispatch: async (request, options) => {
      const { result, error } = await callRaw(url, token, request as unknown as RawRequest, options?.signal);
      return error === undefined ? { kind: 'result', result: result as never } : { kind: 'error', error };
    },
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: {} },
  });
  return Object.assign(session, {
    [Symbol.asyncDispose]: async () => {
      await session.close();
      await client.close();
    },
  });
}

export interface RawRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface RawAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One request as it goes over the wire: the library for clients has no task among its results. */
export async function callRaw(
  url: string,
  token: string,
  { method, params }: RawRequest,
  signal?: AbortSignal,
): Promise<RawAnswer> {
  const named = params['taskId'] ?? params['name'];
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
      'mcp-name': typeof named === 'string' ? named : '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const [, data = text] = /^data: ?(\{.*"id":1.*\})$/m.exec(text) ?? [];
  return JSON.parse(data) as RawAnswer;
}

/** What the library would put into each request, with the extension or without. */
export function envelope(extensions: object): Readonly<Record<string, unknown>> {
  return {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  };
}
