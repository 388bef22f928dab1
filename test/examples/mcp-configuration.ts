import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';

const file = join(import.meta.dirname, '../../examples/claude-code/.mcp.json');

/** What Claude Code reads of a project's servers; a key that it has not is a mistake of ours. */
const configuration = z.strictObject({
  mcpServers: z.strictObject({
    clawrden: z.strictObject({
      type: z.literal('http'),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  }),
});

/** The server of `.mcp.json`, with variables in the two forms that its page names: `${NAME}` and `${NAME:-default}`. */
export async function configuredServer(env: NodeJS.ProcessEnv) {
  const { clawrden } = configuration.parse(JSON.parse(await readFile(file, 'utf8'))).mcpServers;
  const expand = (text: string) =>
    text.replace(
      /\$\{([A-Z_]+)(?::-([^}]*))?\}/g,
      (all, name: string, other?: string) => env[name] ?? other ?? all,
    );
  const headers = Object.fromEntries(
    Object.entries(clawrden.headers).map(([name, text]) => [name, expand(text)]),
  );
  return { url: expand(clawrden.url), headers };
}

/** A client of the generation that starts with `initialize`, as Claude Code is, at that server. */
export async function connectConfigured(env: NodeJS.ProcessEnv) {
  const { url, headers } = await configuredServer(env);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, args: Record<string, unknown> = {}) => {
      const { content } = await client.callTool({ name, arguments: args });
      return (content as { text: string }[]).map(({ text }) => text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
