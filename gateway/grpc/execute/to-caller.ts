import type { ExecuteResponse, Plan } from '../../../src/gen/clawrden/v1/execution.ts';
import type { ToCaller } from '../../ports/channel.ts';

/** What goes to a caller, on the wire. */
export function toResponse(item: ToCaller): NonNullable<ExecuteResponse['message']> {
  switch (item.type) {
    case 'stdout':
    case 'stderr':
      return { $case: item.type, value: item.bytes };
    case 'credit':
    case 'unread':
      return { $case: item.type, value: item.bytes };
    case 'closed':
      return { $case: 'closed', value: item.fd };
    case 'stopped':
      return { $case: 'stopped', value: item.signal };
    case 'pending': {
      const { approvalId, planHash, expires } = item;
      return { $case: 'pending', value: { approvalId, planHash, expires: expires.toISOString() } };
    }
    case 'accepted':
      return { $case: 'accepted', value: { planHash: item.planHash } };
    case 'run-original':
      return { $case: 'runOriginal', value: { planHash: item.planHash } };
    case 'run-here':
      return { $case: 'runHere', value: toPlan(item) };
    case 'inspect-here':
      return { $case: 'inspectHere', value: toPlan(item) };
    case 'started':
      return { $case: 'started', value: { host: item.host, container: item.container, found: [] } };
    case 'notice':
      return { $case: 'notice', value: item.text };
  }
}

function toPlan({ planHash, canonicalPlan }: { planHash: string; canonicalPlan: string }): Plan {
  return { hash: planHash, canonicalJson: canonicalPlan };
}
