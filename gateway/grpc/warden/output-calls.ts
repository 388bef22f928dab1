import type { handleServerStreamingCall, Metadata } from '@grpc/grpc-js';
import { onAbort } from '../../../src/abort.ts';
import type { Faults } from '../../../src/faults.ts';
import type {
  FollowOutputRequest,
  FollowOutputResponse,
  GetRecordingRequest,
  GetRecordingResponse,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { inPieces, type NextPiece } from '../../../src/next-piece.ts';
import { boundedWriter } from '../../../src/wire/bounded-writer.ts';
import { toWireOutcome } from '../../../src/wire/outcome-message.ts';
import { asciicastOf } from '../../execution/asciicast.ts';
import type { Followed } from '../../ports/followed-output.ts';
import { type Principal, presentName } from '../../ports/principal.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import { notFound } from '../calls/errors.ts';
import { refuseStream } from '../calls/refuse-stream.ts';

/** What a call's caller sees, and who that is. */
export type SeenOfCall = (call: { readonly metadata: Metadata }) => {
  readonly warden: WardenApi;
  readonly caller: Principal;
};

const settleMs = 20;
const lookMs = 1000;

/** What was recorded with its timing; never all of it in memory. */
export function getRecording(
  seenOf: SeenOfCall,
  nextPiece: NextPiece,
): handleServerStreamingCall<GetRecordingRequest, GetRecordingResponse> {
  return (call) => {
    const send = async (): Promise<void> => {
      const { id, caller } = call.request;
      const { warden } = seenOf(call);
      const record = await warden.execution(id, presentName(caller));
      if (record === undefined) throw notFound(`no single execution ${id}`);
      const recording = await warden.recording(record.caller, record.id);
      if (recording === undefined) throw notFound(`no timing of an execution ${id} was recorded`);
      const writer = boundedWriter<GetRecordingResponse>(call);
      call.once('cancelled', () => writer.release());
      const cast = asciicastOf(recording, record.startedAt ?? recording.begunAt, nextPiece);
      for await (const lines of cast) {
        if (call.cancelled) return;
        await writer.write({ lines }, lines.length);
      }
      call.end();
    };
    send().catch((error: unknown) => refuseStream(call, error));
  };
}

/** What a running tool writes. Its reader loses what it does not take in time; the tool never waits. */
export function followOutput(
  seenOf: SeenOfCall,
  { faults, nextPiece }: { readonly faults: Faults; readonly nextPiece: NextPiece },
): handleServerStreamingCall<FollowOutputRequest, FollowOutputResponse> {
  return (call) => {
    const gone = new AbortController();
    call.once('cancelled', () => gone.abort());
    const begin = async (): Promise<void> => {
      const { id, fromNow } = call.request;
      const { warden, caller } = seenOf(call);
      const followed = await warden.follow(id, caller);
      const notThere = notFound(`no running execution ${id}`);
      if (followed === undefined) throw notThere;
      const look = faults.guard('follow', () => {
        if (warden.within(caller).agent(followed.agent)) return;
        gone.abort();
        refuseStream(call, notThere);
      });
      const looking = setInterval(look, lookMs).unref();
      onAbort(gone.signal, () => clearInterval(looking));
      const tell = teller(followed, fromNow);
      let timer: NodeJS.Timeout | undefined;
      let [busy, stale] = [false, false];
      const write = faults.guard('follow', () => {
        timer = undefined;
        // A reader that is behind gets the newest when it reads again.
        if (busy || gone.signal.aborted) return;
        const messages = tell();
        const last = messages.pop();
        for (const event of messages) call.write({ event });
        if (last === undefined) return;
        [busy, stale] = [true, false];
        call.write({ event: last }, () => {
          busy = false;
          if (stale) changed();
        });
      });
      // All who read along hear of the same bytes in the same moment.
      const go = inPieces(nextPiece, write);
      const changed = (): void => {
        stale = busy;
        if (!busy) timer ??= setTimeout(go, settleMs).unref();
      };
      followed.output.watch(changed, gone.signal);
      go();
      const outcome = await followed.outcome;
      await nextPiece();
      clearTimeout(timer);
      if (gone.signal.aborted) return;
      gone.abort();
      for (const event of tell()) call.write({ event });
      call.write({ event: { $case: 'outcome', value: toWireOutcome(outcome) } });
      call.end();
    };
    begin().catch((error: unknown) => refuseStream(call, error));
  };
}

type FollowedEvent = NonNullable<FollowOutputResponse['event']>;

/** What has come since it was asked last. */
function teller({ output }: Followed, fromNow: boolean): () => FollowedEvent[] {
  let place = fromNow ? output.total() : 0;
  return () => {
    const { skipped, parts } = output.behind(place);
    place = parts.at(-1)?.place ?? place + skipped;
    const gap: FollowedEvent[] = skipped > 0 ? [{ $case: 'gap', value: BigInt(skipped) }] : [];
    return [
      ...gap,
      ...parts.map(
        ({ fd, bytes }): FollowedEvent => ({ $case: fd === 1 ? 'stdout' : 'stderr', value: bytes }),
      ),
    ];
  };
}
