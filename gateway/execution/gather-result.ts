import type { Outcome } from '../../src/outcome.ts';
import type { ToCaller } from '../ports/channel.ts';
import type { ExecutionResult } from '../ports/detached.ts';
import { createFirstOutput } from './first-output.ts';

/** What becomes of an execution, for an answer that comes when all is over. */
export interface ResultGatherer {
  readonly take: (item: ToCaller) => undefined;
  readonly result: (outcome: Outcome) => ExecutionResult;
}

export function gatherResult(): ResultGatherer {
  const output = { stdout: createFirstOutput(), stderr: createFirstOutput() };
  const place = { planHash: '', host: '', container: '', wasStarted: false };
  return {
    take: (item) => {
      if (item.type === 'stdout' || item.type === 'stderr') output[item.type].add(item.bytes);
      if (item.type === 'accepted' || item.type === 'pending') place.planHash = item.planHash;
      if (item.type === 'started') {
        const { host, container } = item;
        Object.assign(place, { host, container, wasStarted: true });
      }
      return undefined;
    },
    result: (outcome) => ({
      ...{ outcome, ...place },
      ...{ stdout: output.stdout.first(), stderr: output.stderr.first() },
    }),
  };
}
