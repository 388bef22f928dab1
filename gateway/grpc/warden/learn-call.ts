import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { LearnEgressRequest, LearnEgressResponse } from '../../../src/gen/clawrden/v1/warden.ts';
import { toTime } from '../../lists/short-texts.ts';
import { invalid } from '../calls/errors.ts';
import { refuseStream } from '../calls/refuse-stream.ts';
import { whenCanceled } from '../calls/when-canceled.ts';
import type { SeenOfCall } from './output-calls.ts';
import { done } from './principal-calls.ts';

const mostSeconds = 3600;

/** It learns for as long as its caller stays. */
export function learnEgress(
  seenOf: SeenOfCall,
): handleServerStreamingCall<LearnEgressRequest, LearnEgressResponse> {
  return (call) => {
    const gone = whenCanceled(call);
    // Nobody waits until they are read: they are a thousand at most.
    const tell = (event: NonNullable<LearnEgressResponse['event']>) => void call.write({ event });
    const learn = async (): Promise<void> => {
      const { seconds, ...wanted } = call.request;
      if (seconds < 1 || seconds > mostSeconds) throw invalid(`seconds must be 1 to ${mostSeconds}`);
      const { warden, caller } = seenOf(call);
      const reached = (value: string) => tell({ $case: 'destination', value });
      const begun = done(await warden.learn({ ...wanted, ms: seconds * 1000 }, caller, reached, gone));
      const { network, until, ended } = begun;
      tell({ $case: 'begun', value: { network, until: toTime(until) } });
      const why = await ended;
      if (gone.aborted) return;
      tell({ $case: 'ended', value: why });
      call.end();
    };
    learn().catch((error: unknown) => refuseStream(call, error));
  };
}
