import { boundedGrant } from '../lists/bounded-rows.ts';
import { shortTexts } from '../lists/short-texts.ts';
import type { Resolution } from '../ports/verdict.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import type { Handlers } from './add-routes.ts';
import { coded, done, HttpRefused, ProblemThrown } from './problem.ts';
import { toApprovalView, toHostJson } from './views.ts';

type Acts = Pick<
  Handlers,
  'verdict' | 'revokeGrant' | 'setAgentState' | 'setLockdown' | 'setHostState' | 'assignTool' | 'unassignTool'
>;

/** What changes something; each change is in the audit with its caller. */
export function actHandlers(warden: WardenApi): Acts {
  return {
    verdict: async ({ params: { id }, body, seen, caller }) => {
      const { planHash, verdict, reason = '', grantMinutes } = body;
      if (verdict === 'deny' && grantMinutes !== undefined)
        throw new HttpRefused(400, 'a denial has no grantMinutes');
      const said = { planHash, reason, via: 'http' };
      const grant = grantMinutes === undefined ? {} : { grantMs: grantMinutes * 60_000 };
      const given = verdict === 'approve' ? ('approved' as const) : ('denied' as const);
      const resolution = await seen.warden.resolveApproval(id, { verdict: given, ...said, ...grant }, caller);
      if (!('approval' in resolution)) throw refusalOf(resolution);
      return toApprovalView(resolution.approval);
    },
    revokeGrant: async ({ params: { id }, seen, caller }) => {
      const grant = await seen.warden.revokeGrant(id, caller, '');
      if (grant === undefined) throw new HttpRefused(404, `no grant ${id}`);
      return boundedGrant(grant);
    },
    setAgentState: async ({ params: { name }, body: { state, reason = '' }, seen, caller }) => {
      const halt = await seen.warden.setAgentState(name, state, caller, reason);
      if (halt === undefined) throw new HttpRefused(404, `no agent ${name}`);
      return { stopped: halt.stopped, unconfirmed: shortTexts(halt.unconfirmed) };
    },
    assignTool: async ({ params: { name: agent, tool }, body: { action, reason = '' }, caller }) => {
      const { rule, warnings } = done(
        await warden.assignments.assign({ agent, tool, action }, caller, reason),
      );
      return { rule, warnings: shortTexts(warnings) };
    },
    unassignTool: async ({ params: { name: agent, tool }, query: { reason = '' }, caller }) => {
      const { rule } = done(await warden.assignments.unassign({ agent, tool }, caller, reason));
      return { rule, warnings: [] };
    },
    setLockdown: async ({ body: { on, reason = '' }, caller }) => {
      const { stopped, unconfirmed } = await warden.setLockdown(on, caller, reason);
      return { stopped, unconfirmed: shortTexts(unconfirmed) };
    },
    setHostState: async ({ params: { name }, body: { state, reason = '' }, caller }) => {
      const host = await warden.setHostDraining(name, state === 'draining', caller, reason);
      if (host === undefined) throw new HttpRefused(404, `no Docker host ${name}`);
      return toHostJson(host);
    },
  };
}

const refusals = {
  unknown: 404,
  'plan-changed': 409,
  'verdict-door': 403,
  'no-grant': 409,
  'own-request': 403,
  'not-approver': 403,
  'already-resolved': 409,
} as const satisfies Record<Exclude<Resolution['type'], 'resolved' | 'noted'>, number>;

function refusalOf({ type, text }: Exclude<Resolution, { readonly approval: unknown }>): Error {
  if (type === 'plan-changed' || type === 'verdict-door') return new ProblemThrown(coded(type, text));
  return new HttpRefused(refusals[type], text);
}
