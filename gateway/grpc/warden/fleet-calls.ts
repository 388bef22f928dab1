import { status } from '@grpc/grpc-js';
import {
  AuditLine,
  type GetToolRequest,
  type GetToolResponse,
  type ListAuditRequest,
  type ListAuditResponse,
  type ListRelaysRequest,
  type ListRelaysResponse,
  type ListToolsRequest,
  type ListToolsResponse,
  Relay,
  Tool,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { AuditUnreadable, auditPage } from '../../lists/audit-page.ts';
import { boundedRules, boundedTool } from '../../lists/bounded-rows.ts';
import { byName } from '../../lists/create-lists.ts';
import type { Seal } from '../../lists/seal.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import type { Seen } from '../../principals/seen-by.ts';
import { CallRefused, invalid } from '../calls/errors.ts';
import { shapeOf } from './warden-lists.ts';
import { toAuditLine, toRelay } from './warden-messages.ts';

/** Relays, the audit, and the policy's tools. */
export interface FleetCalls {
  readonly listRelays: (request: ListRelaysRequest) => ListRelaysResponse;
  readonly listTools: (request: ListToolsRequest, seen: Seen) => ListToolsResponse;
  readonly getTool: (request: GetToolRequest, seen: Seen) => GetToolResponse;
  readonly listAudit: (request: ListAuditRequest) => Promise<ListAuditResponse>;
}

export function fleetCalls(warden: WardenApi, seal: Seal): FleetCalls {
  return {
    listRelays: ({ pageToken }) => {
      const wish = { limit: 0, pageToken };
      const page = byName(seal, 'relays', warden.relays(), wish, shapeOf(toRelay, Relay));
      return { relays: page.messages, nextPageToken: page.nextPageToken };
    },
    listTools: ({ pageToken }, seen) => {
      const wish = { limit: 0, pageToken };
      const page = byName(seal, 'tools', seen.warden.tools(), wish, shapeOf(boundedTool, Tool));
      return { tools: page.messages, nextPageToken: page.nextPageToken };
    },
    getTool: ({ name }, seen) => {
      const tool = seen.warden.tools().find((each) => each.name === name);
      if (tool === undefined) throw new CallRefused(status.NOT_FOUND, `no tool ${name}`);
      return { tool: boundedTool(tool), rules: boundedRules(tool), documentation: tool.documentation };
    },
    listAudit: async ({ from, ...wish }) => {
      if (from > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid("from must be a record's number");
      const first = from === 0n ? undefined : Number(from);
      try {
        const shape = shapeOf(toAuditLine, AuditLine);
        const page = await auditPage(warden, seal, { ...wish, from: first }, shape);
        return { lines: page.messages, nextPageToken: page.nextPageToken };
      } catch (error) {
        if (!(error instanceof AuditUnreadable)) throw error;
        throw new CallRefused(status.UNAVAILABLE, error.message);
      }
    },
  };
}
