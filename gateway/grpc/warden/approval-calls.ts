import { status } from '@grpc/grpc-js';
import {
  type GetApprovalRequest,
  type GetApprovalResponse,
  type ResolveApprovalRequest,
  type ResolveApprovalResponse,
  type RevokeGrantRequest,
  type RevokeGrantResponse,
  Verdict,
} from '../../../src/gen/clawrden/v1/warden.ts';
import type { Principal } from '../../ports/principal.ts';
import { doorsOfVia, type Resolution, type ShownVerdict } from '../../ports/verdict.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import { CallRefused, invalid } from '../calls/errors.ts';
import { toApproval, toGrant } from './warden-messages.ts';

/** Questions, verdicts and grants, as far as their caller sees them. */
export interface ApprovalCalls {
  readonly getApproval: (request: GetApprovalRequest) => GetApprovalResponse;
  readonly resolveApproval: (
    request: ResolveApprovalRequest,
    by: Principal,
  ) => Promise<ResolveApprovalResponse>;
  readonly revokeGrant: (request: RevokeGrantRequest, by: Principal) => Promise<RevokeGrantResponse>;
}

export function approvalCalls(seen: WardenApi): ApprovalCalls {
  return {
    getApproval: ({ id }) => {
      const approval = seen.approvals().find((each) => each.id === id);
      if (approval === undefined) throw new CallRefused(status.NOT_FOUND, `no pending approval ${id}`);
      return { approval: { ...toApproval(approval), plan: approval.plan } };
    },
    resolveApproval: (request, by) => resolve(seen, request, by),
    revokeGrant: async ({ id, reason }, by) => {
      const grant = await seen.revokeGrant(id, by, reason);
      if (grant === undefined) throw new CallRefused(status.NOT_FOUND, `no grant ${id}`);
      return { grant: toGrant(grant) };
    },
  };
}

const refusals = {
  unknown: status.NOT_FOUND,
  'plan-changed': status.FAILED_PRECONDITION,
  'verdict-door': status.PERMISSION_DENIED,
  'no-grant': status.FAILED_PRECONDITION,
  'own-request': status.PERMISSION_DENIED,
  'not-approver': status.PERMISSION_DENIED,
  'already-resolved': status.FAILED_PRECONDITION,
} as const satisfies Record<Exclude<Resolution['type'], 'resolved' | 'noted'>, unknown>;

const maxGrantSeconds = 24 * 60 * 60;

async function resolve(
  warden: WardenApi,
  request: ResolveApprovalRequest,
  by: Principal,
): Promise<ResolveApprovalResponse> {
  const resolution = await warden.resolveApproval(request.id, toVerdict(request), by);
  if (!('approval' in resolution)) throw new CallRefused(refusals[resolution.type], resolution.text);
  return { approval: toApproval(resolution.approval) };
}

/** A client names its own surface, but never another door's. */
function ownVia(via: string): string {
  const named = via.slice(0, 32);
  return named === '' || doorsOfVia(named).some((door) => door !== 'cli') ? 'api' : named;
}

function toVerdict({
  verdict,
  reason,
  planHash,
  grantSeconds,
  via,
}: ResolveApprovalRequest): Omit<ShownVerdict, 'by'> {
  if (planHash === '') throw invalid('plan_hash must be that of the plan that was shown');
  if (grantSeconds > maxGrantSeconds) throw invalid(`grant_seconds must be at most ${maxGrantSeconds}`);
  const said = { planHash, reason, via: ownVia(via) };
  if (verdict === Verdict.DENY) return { verdict: 'denied', ...said };
  if (verdict !== Verdict.APPROVE) throw invalid('verdict must be given');
  return { verdict: 'approved', ...said, ...(grantSeconds > 0 && { grantMs: grantSeconds * 1000 }) };
}
