import { randomUUID } from 'node:crypto';
import type { Faults } from '../../src/faults.ts';
import type { NextPiece } from '../../src/next-piece.ts';
import { createLookTurns, type LookTurns } from '../connections/look-turns.ts';
import type { OpenRequests } from '../connections/open-requests.ts';
import type { Detached } from '../ports/detached.ts';
import type { McpCall, McpDoor } from '../ports/mcp-door.ts';
import { principalName } from '../ports/principal.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { seenBy } from '../principals/seen-by.ts';
import type { Pace } from './look-on.ts';
import { createOpenCalls, type OpenCalls } from './open-calls.ts';

export interface McpDoorParts {
  readonly detached: Detached;
  readonly warden: WardenApi;
  readonly faults: Faults;
  readonly requests: OpenRequests;
  readonly nextPiece: NextPiece;
  /** `mcpPace` if absent. */
  readonly pace?: Pace;
}

export const mcpPace: Pace = { progressMs: 100, heartbeatMs: 10_000, waitMs: 45_000, pollMs: 2000 };

const sessionHeader = 'mcp-session-id';

/** Both generations of the protocol from one server, which is made for each request: nothing is kept between them. */
export function createMcpDoor(parts: McpDoorParts): McpDoor {
  const { detached, warden, faults, requests, nextPiece, pace = mcpPace } = parts;
  const openCalls = createOpenCalls();
  // What is made asks for results, so these have turns of their own.
  const [makes, looks] = [createLookTurns(nextPiece), createLookTurns(nextPiece)];
  return {
    ...requests,
    serve: async (call) => {
      // One request is charged for one call.
      if (Array.isArray(call.body)) return refusal(400, -32_600, 'send one message in each request');
      const session = sessionOf(call);
      cancelNamed(call.body, session, openCalls);
      const { caller, request, body, drained } = call;
      // The library takes a quarter of a second to load: a gateway that no agent asks by MCP starts without it.
      const { createMcpHandler, makeServer } = await import('./protocol.ts');
      const handler = createMcpHandler(
        ({ era }) =>
          inTurn(makes, call, async () =>
            makeServer({
              ...{ caller, openCalls, pace, drained, faults },
              ...{ warden: seenBy(warden, caller).warden, version: warden.status().version },
              ...{ isModern: era === 'modern', session },
              detached: lookingInTurn(detached, looks, call),
            }),
          ),
        // Nothing is ever published, so nobody is kept waiting for it.
        { responseMode: 'sse', maxSubscriptions: 0 },
      );
      const response = await handler.fetch(request, { parsedBody: body });
      // The name of a session, of which nothing else exists: by it a client of 2025 says which of its calls it cancels.
      if (methodOf(body) === 'initialize') response.headers.set(sessionHeader, randomUUID());
      return response;
    },
  };
}

/** Each costs milliseconds of the gateway's one thread. */
function inTurn<T>(turns: LookTurns, { caller, request }: McpCall, work: () => Promise<T>): Promise<T> {
  return turns.take(principalName(caller), request.signal, work);
}

/** A result that is kept has up to 2.2 MB. */
function lookingInTurn(detached: Detached, looks: LookTurns, call: McpCall): Detached {
  return {
    ...detached,
    result: (own, id) => inTurn(looks, call, () => detached.result(own, id)),
  };
}

/** Of this caller; undefined if the client names none. */
function sessionOf({ caller, request }: McpCall): string | undefined {
  const named = request.headers.get(sessionHeader);
  return named === null ? undefined : `${principalName(caller)} ${named}`;
}

/** A client of 2025 cancels by a message of its own, in another request. */
function cancelNamed(body: unknown, session: string | undefined, openCalls: OpenCalls): void {
  if (session === undefined || methodOf(body) !== 'notifications/cancelled') return;
  const { params } = body as { readonly params?: { readonly requestId?: unknown } };
  openCalls.cancel(session, params?.requestId);
}

function methodOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined;
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
