import { type handleServerStreamingCall, status } from '@grpc/grpc-js';
import type { WatchApprovalsRequest, WatchApprovalsResponse } from '../../src/gen/clawrden/v1/warden.ts';
import type { Role } from '../caller.ts';
import type { WardenView } from '../warden-view.ts';
import type { Callers } from './authenticate.ts';
import { CallRefused, toStatus } from './errors.ts';
import { toApproval } from './warden-messages.ts';

/** Changes that come together are told together: a watcher sees one within this time. */
const settleMs = 50;

/** All that is pending, now and after every change; to a watcher that reads slowly goes only the newest. */
export function watchApprovals(
  callers: Callers,
  warden: WardenView,
  roles: readonly Role[],
): handleServerStreamingCall<WatchApprovalsRequest, WatchApprovalsResponse> {
  return (call) => {
    if (!roles.includes(callers.of(call).role)) {
      call.emit('error', toStatus(new CallRefused(status.PERMISSION_DENIED, 'only operators watch')));
      return;
    }
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    let timer: NodeJS.Timeout | undefined;
    const tell = (): void => {
      timer = undefined;
      if (gone.signal.aborted) return;
      const more = call.write({ approvals: warden.approvals().map(toApproval) });
      if (!more) call.once('drain', changed);
    };
    const changed = (): void => {
      if (!call.writableNeedDrain) timer ??= setTimeout(tell, settleMs);
    };
    warden.watchApprovals(changed, gone.signal);
    tell();
  };
}
