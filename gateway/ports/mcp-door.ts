import type { OpenRequests } from '../connections/open-requests.ts';
import type { Principal } from './principal.ts';

/** One request of the Model Context Protocol, once it is known whose it is. */
export interface McpCall {
  readonly caller: Principal;
  readonly request: Request;
  /** Of the request, read. */
  readonly body: unknown;
  /** Resolves when the client has taken enough of what it was sent; undefined if it is not behind. */
  readonly drained: () => Promise<void> | undefined;
}

/**
 * What agents reach by MCP, behind any listener, each request of which enters and has its body read. The request's signal
 * aborts when the client has left.
 */
export interface McpDoor extends OpenRequests {
  readonly serve: (call: McpCall) => Promise<Response>;
}
