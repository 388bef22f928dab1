import { boundedRules, boundedTool } from '../lists/bounded-rows.ts';
import { byName } from '../lists/create-lists.ts';
import { createSeal } from '../lists/seal.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import type { Handlers } from './add-routes.ts';
import { auditHandler } from './audit-handler.ts';
import { shapeOf, toPage } from './pages.ts';
import { HttpRefused } from './problem.ts';
import { toRelayJson } from './views.ts';

/** Relays, the audit, and the policy's tools. */
export function fleetHandlers(warden: WardenApi): Pick<Handlers, 'relays' | 'audit' | 'tools' | 'tool'> {
  const seal = createSeal();
  return {
    relays: ({ query }) => {
      const page = byName(seal, 'relays', warden.relays(), toPage(query), shapeOf(toRelayJson));
      return { relays: page.messages, nextCursor: page.nextPageToken };
    },
    audit: auditHandler(warden, seal),
    tools: ({ query, seen }) => {
      const page = byName(seal, 'tools', seen.warden.tools(), toPage(query), shapeOf(boundedTool));
      return { tools: page.messages, nextCursor: page.nextPageToken };
    },
    tool: ({ params: { name }, seen }) => {
      const tool = seen.warden.tools().find((each) => each.name === name);
      if (tool === undefined) throw new HttpRefused(404, `no tool ${name}`);
      return { ...boundedTool(tool), rules: boundedRules(tool), documentation: tool.documentation };
    },
  };
}
