import {
  Client as TodaysClient,
  StreamableHTTPClientTransport as TodaysTransport,
} from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What tests need of a client library, whichever it is. */
export interface McpClient extends AsyncDisposable {
  readonly tools: () => Promise<string[]>;
  readonly resources: () => Promise<{ readonly uri: string; readonly name: string }[]>;
  readonly read: (uri: string) => Promise<string>;
  readonly call: (name: string, args?: object, options?: CallOptions) => Promise<Called>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (message: string) => void;
}

export interface Called {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

export type Connect = (url: string, token?: string, headers?: Headers) => Promise<McpClient>;

type Headers = Readonly<Record<string, string>>;

const info = { name: 'test', version: '1' };
const named = (token: string | undefined, more: Headers = {}) => ({
  requestInit: { headers: token === undefined ? more : { ...more, authorization: `Bearer ${token}` } },
});

type Generation = readonly [string, Connect];

/** Each generation of the protocol, by the library that speaks it. */
export const clients: readonly [Generation, ...Generation[]] = [
  [
    '2026-07-28',
    async (url, token, headers) => {
      const client = new TodaysClient(info, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new TodaysTransport(new URL('/mcp', url), named(token, headers)));
      return toClient(client);
    },
  ],
  [
    '2025-11-25, of today',
    async (url, token, headers) => {
      const client = new TodaysClient(info);
      await client.connect(new TodaysTransport(new URL('/mcp', url), named(token, headers)));
      return toClient(client);
    },
  ],
  [
    '2025-11-25, of last year',
    async (url, token, headers) => {
      const client = new FormerClient(info);
      const transport = new FormerTransport(new URL('/mcp', url), named(token, headers));
      await client.connect(transport);
      return toClient({
        listTools: () => client.listTools(),
        listResources: () => client.listResources(),
        readResource: (wanted) => client.readResource(wanted),
        callTool: (wanted, options) => client.callTool(wanted, undefined, options),
        close: () => client.close(),
      });
    },
  ],
];

interface Library {
  readonly listTools: () => Promise<{ tools: { name: string }[] }>;
  readonly listResources: () => Promise<{ resources: { uri: string; name: string }[] }>;
  readonly readResource: (wanted: { uri: string }) => Promise<{ contents: object[] }>;
  readonly callTool: (
    wanted: { name: string; arguments: Record<string, unknown> },
    options?: {
      signal?: AbortSignal;
      timeout?: number;
      onprogress?: (told: { message?: string | undefined }) => void;
    },
  ) => Promise<object>;
  readonly close: () => Promise<void>;
}

function toClient(library: Library): McpClient {
  return {
    tools: async () => (await library.listTools()).tools.map(({ name }) => name),
    resources: async () => (await library.listResources()).resources,
    read: async (uri) => {
      const [first] = (await library.readResource({ uri })).contents as { text?: string }[];
      return first?.text ?? '';
    },
    call: async (name, args = {}, { onprogress, ...options } = {}) => {
      const told = await library.callTool(
        { name, arguments: { ...args } },
        { ...options, ...(onprogress && { onprogress: ({ message = '' }) => onprogress(message) }) },
      );
      const { content, isError = false } = told as { content: { text: string }[]; isError?: boolean };
      return { texts: content.map(({ text }) => text), isError };
    },
    [Symbol.asyncDispose]: () => library.close(),
  };
}

/** Of an answer's first text. */
export function idOf({ texts }: Called): string {
  return /^id: (.+)$/m.exec(texts[0] ?? '')?.[1] ?? '';
}
