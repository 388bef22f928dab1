import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { Faults } from '../../../src/faults.ts';
import type { WatchApprovalsRequest, WatchApprovalsResponse } from '../../../src/gen/clawrden/v1/warden.ts';
import { inPieces, type NextPiece } from '../../../src/next-piece.ts';
import { whenCanceled } from '../calls/when-canceled.ts';
import { createChanges } from './approval-changes.ts';
import type { SeenOfCall } from './output-calls.ts';

/** Changes within this time are sent together. */
const settleMs = 50;

/** Sends which questions come and go; a watcher that reads slowly gets the difference when it reads again. */
export function watchApprovals(
  seenOf: SeenOfCall,
  { faults, nextPiece }: { readonly faults: Faults; readonly nextPiece: NextPiece },
): handleServerStreamingCall<WatchApprovalsRequest, WatchApprovalsResponse> {
  return (call) => {
    const { warden } = seenOf(call);
    const gone = whenCanceled(call);
    const next = createChanges(warden.approvals);
    let timer: NodeJS.Timeout | undefined;
    let [first, busy, stale] = [true, false, false];
    const write = faults.guard('watch approvals', () => {
      clearTimeout(timer);
      timer = undefined;
      if (gone.aborted) return;
      if (busy) {
        stale = true;
        return;
      }
      const change = next();
      // An empty queue is sent once, because a watcher shows nothing before the first message.
      if (!first && change.came.length === 0 && change.gone.length === 0) return;
      [first, busy, stale] = [false, true, false];
      // Counted as known only when it is sent: at most one message waits for a watcher that does not read.
      call.write(change, () => {
        busy = false;
        if (change.more) tell();
        else if (stale) changed();
      });
    });
    // A change reaches all watchers in the same moment, and each one sorts all that waits.
    const tell = inPieces(nextPiece, write);
    const changed = (): void => {
      stale = busy;
      if (!busy) timer ??= setTimeout(tell, settleMs);
    };
    warden.watchApprovals(changed, gone);
    tell();
  };
}
