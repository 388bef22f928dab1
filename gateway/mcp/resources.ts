import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { escapeUnprintable } from '../../src/text/render-text.ts';
import { documentationOf } from '../help/help-text.ts';
import { whyNot } from '../principals/call-rules.ts';
import { programsOf } from './programs.ts';
import type { ServerParts } from './server-parts.ts';

const mimeType = 'text/markdown';

/** The documentation of tool files, of what this agent may run. */
export function addResources({ server }: McpServer, { caller, warden }: ServerParts): void {
  const pages = () => {
    const refused = whyNot(caller, 'POST /mcp resources');
    if (refused !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, refused);
    return programsOf(warden).filter(({ documentation }) => documentation !== '');
  };
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', () => ({
    resources: pages().map(({ name, description }) => ({
      ...{ uri: uriOf(name), name, mimeType },
      description: escapeUnprintable(description),
    })),
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = pages().find(({ name }) => uriOf(name) === uri);
    if (found === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no such resource; list them');
    return { contents: [{ uri, mimeType, text: documentationOf(found).trim() }] };
  });
}

function uriOf(name: string): string {
  return `clawrden://tools/${encodeURIComponent(name)}`;
}
