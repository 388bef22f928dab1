import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import { type Approval, Verdict, WardenServiceService } from '../../../gen/clawrden/v1/warden.ts';
import { commandText } from '../../../text/command-text.ts';
import { toCliError } from '../../reach/grpc-error.ts';
import { saidBy } from '../print-verdict.ts';
import { askedBy } from '../show-approval.ts';
import { fetchQuestion } from '../show-question.ts';
import { type Action, type WatchModel, withApprovals, withPlan } from './watch-model.ts';

type Asking = Extract<Action, { readonly type: 'read' | 'verdict' }>;

/** The change that the gateway's answer makes; a failure becomes its message. */
export async function askGateway(
  client: GatewayClient,
  gateway: string,
  action: Asking,
): Promise<(model: WatchModel) => WatchModel> {
  try {
    return action.type === 'read' ? await read(client, action.approval) : await decide(client, action);
  } catch (error) {
    const what = action.type === 'read' ? 'show' : action.approve ? 'approve' : 'deny';
    const shown = toCliError(error, what, { gateway });
    const text = shown instanceof Error ? shown.message : String(shown);
    return (model) => ({ ...model, message: text.replace(/^clawrden: /, '') });
  }
}

async function read(client: GatewayClient, { id }: Approval): Promise<(model: WatchModel) => WatchModel> {
  const question = await fetchQuestion(client, id);
  if (question !== undefined) return (model) => withPlan(model, question);
  return (model) => ({ ...model, message: `${id} does not wait any more` });
}

async function decide(
  client: GatewayClient,
  { approve, approval, reason }: Extract<Action, { readonly type: 'verdict' }>,
): Promise<(model: WatchModel) => WatchModel> {
  const verdict = approve ? Verdict.APPROVE : Verdict.DENY;
  const { id, planHash } = approval;
  const request = { id, planHash, verdict, reason, grantSeconds: 0, via: 'watch' };
  const { approval: answered } = await client.call(WardenServiceService.resolveApproval, request);
  if (answered === undefined) throw new Error('the gateway answered nothing');
  const [said] = saidBy(approve ? 'approve' : 'deny', answered);
  const message = `${said}${askedBy(approval)}: ${commandText(approval)}`;
  // One that needs more people waits on.
  const waits = approve && answered.missing > 0;
  return (model) => {
    const left = model.approvals.flatMap((each) => {
      if (each.id !== id) return [each];
      return waits ? [answered] : [];
    });
    return { ...withApprovals(model, left), trouble: model.trouble, message };
  };
}
