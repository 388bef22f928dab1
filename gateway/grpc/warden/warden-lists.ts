import {
  Agent,
  Approval,
  Execution,
  Grant,
  Host,
  type ListAgentsRequest,
  type ListAgentsResponse,
  type ListApprovalsRequest,
  type ListApprovalsResponse,
  type ListExecutionsRequest,
  type ListExecutionsResponse,
  type ListGrantsRequest,
  type ListGrantsResponse,
  type ListHostsRequest,
  type ListHostsResponse,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { createLists } from '../../lists/create-lists.ts';
import type { RowShape } from '../../lists/page.ts';
import type { Seal } from '../../lists/seal.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import type { Seen } from '../../principals/seen-by.ts';
import { toAgent, toApproval, toExecutionSummary, toGrant, toHost } from './warden-messages.ts';

/** The List calls of the WardenService. */
export interface WardenLists {
  readonly executions: (request: ListExecutionsRequest, seen: Seen) => Promise<ListExecutionsResponse>;
  readonly approvals: (request: ListApprovalsRequest, seen: Seen) => ListApprovalsResponse;
  readonly grants: (request: ListGrantsRequest, seen: Seen) => ListGrantsResponse;
  readonly agents: (request: ListAgentsRequest, seen: Seen) => ListAgentsResponse;
  readonly hosts: (request: ListHostsRequest) => ListHostsResponse;
}

export function wardenLists(warden: WardenApi, seal: Seal): WardenLists {
  const lists = createLists(warden, seal, {
    execution: shapeOf(toExecutionSummary, Execution),
    approval: shapeOf(toApproval, Approval),
    grant: shapeOf(toGrant, Grant),
    agent: shapeOf(toAgent, Agent),
    host: shapeOf(toHost, Host),
  });
  return {
    executions: async ({ since, ...request }, seen) => {
      const wish = { ...request, since: since === '' ? undefined : Date.parse(since) };
      const { messages, nextPageToken } = await lists.executions(wish, seen);
      return { executions: messages, nextPageToken };
    },
    approvals: (request, seen) => {
      const { messages, nextPageToken } = lists.approvals(request, seen);
      return { approvals: messages, nextPageToken };
    },
    grants: (request, seen) => {
      const { messages, nextPageToken } = lists.grants(request, seen);
      return { grants: messages, nextPageToken };
    },
    agents: ({ pageToken }, seen) => {
      const { messages, nextPageToken } = lists.agents({ limit: 0, pageToken }, seen);
      return { agents: messages, nextPageToken };
    },
    hosts: ({ pageToken }) => {
      const { messages, nextPageToken } = lists.hosts({ limit: 0, pageToken });
      return { hosts: messages, nextPageToken };
    },
  };
}

/** Rows in the encoding of their generated code. */
export function shapeOf<Row, Message>(
  toMessage: (row: Row) => Message,
  type: { encode(message: Message): { finish(): Uint8Array } },
): RowShape<Row, Message> {
  return { toMessage, bytesOf: (message) => type.encode(message).finish().length };
}
