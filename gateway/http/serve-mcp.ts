import type { FastifyInstance, FastifyRequest } from 'fastify';
import { drained } from '../../src/drained.ts';
import { bodyBytes } from '../connections/open-requests.ts';
import { pumpResponse } from '../connections/pump-response.ts';
import type { McpDoor } from '../ports/mcp-door.ts';
import type { RouteParts } from './add-routes.ts';
import { admitRequest, admittedStill } from './add-routes.ts';
import type { Admitted } from './callers.ts';
import { expectsToBeAsked } from './check-request.ts';
import { watchCaller } from './watch-caller.ts';

export const mcpRoute = { method: 'POST', path: '/mcp' } as const;

export interface McpRouteParts extends RouteParts {
  readonly mcp: McpDoor;
  /** A client that takes nothing for so long is ended. */
  readonly stalledMs: number;
}

/** Hands a request to MCP, after all that every request here is held to; streams what comes of it. */
export function serveMcp(app: FastifyInstance, { mcp, stalledMs, ...parts }: McpRouteParts): void {
  const admissions = new WeakMap<FastifyRequest, Admitted>();
  app.route({
    ...{ method: mcpRoute.method, url: mcpRoute.path, bodyLimit: bodyBytes },
    onRequest: async (request, reply) => {
      admissions.set(
        request,
        await admitRequest(parts, request, reply, `${mcpRoute.method} ${mcpRoute.path}`),
      );
    },
    preParsing: async ({ raw }, reply) => {
      if (expectsToBeAsked(raw)) reply.raw.writeContinue();
    },
    handler: async (request, reply) => {
      const admitted = admissions.get(request);
      if (admitted === undefined) throw new Error('a request that was not admitted');
      const admission = admittedStill(admitted);
      using caller = watchCaller(reply.raw, admission.check, () => reply.raw.destroy());
      const signal = caller.gone;
      const call = {
        ...{ caller: admission.value, body: request.body },
        request: new Request(`http://clawrden${mcpRoute.path}`, {
          method: 'POST',
          headers: headersOf(request),
          signal,
        }),
        drained: () => (reply.raw.writableNeedDrain ? drained(reply.raw) : undefined),
      };
      const response = await mcp.serve(call);
      reply.hijack();
      const own = reply.getHeaders() as Record<string, string>;
      reply.raw.writeHead(response.status, { ...own, ...shown(response.headers) });
      await pumpResponse(response, reply.raw, { gone: signal, stalledMs });
    },
  });
}

function headersOf({ headers }: FastifyRequest): Headers {
  const own = Object.entries(headers).filter(([name]) => !['authorization', 'cookie'].includes(name));
  return new Headers(own.map(([name, value]) => [name, String(value)]));
}

/** The door's own headers say what may be kept, and for how long a connection lives. */
function shown(headers: Headers): Record<string, string> {
  const kept = ['content-type', 'mcp-session-id', 'x-accel-buffering'];
  return Object.fromEntries([...headers].filter(([name]) => kept.includes(name)));
}
