import { onAbort } from '../../src/abort.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { ToCaller } from '../ports/channel.ts';
import type { ExecutionResult, Question, Underway } from '../ports/detached.ts';
import { createFirstOutput } from './first-output.ts';

/** What becomes of an execution, for an answer that comes when all is over. */
export interface ResultGatherer {
  readonly take: (item: ToCaller) => undefined;
  readonly result: (outcome: Outcome) => ExecutionResult;
  readonly soFar: Omit<Underway, 'ended'>;
}

export function gatherResult(): ResultGatherer {
  const output = { stdout: createFirstOutput(), stderr: createFirstOutput() };
  const place = { planHash: '', host: '', container: '', wasStarted: false };
  const listeners = new Set<() => void>();
  let question: Question | undefined;

  function note(item: ToCaller): void {
    if (item.type === 'stdout' || item.type === 'stderr') output[item.type].add(item.bytes);
    if (item.type === 'accepted' || item.type === 'pending') {
      place.planHash = item.planHash;
      question = item.type === 'pending' ? item : undefined;
    }
    if (item.type === 'started') {
      const { host, container } = item;
      Object.assign(place, { host, container, wasStarted: true });
    }
  }

  return {
    take: (item) => {
      note(item);
      for (const listener of listeners) listener();
      return undefined;
    },
    result: (outcome) => ({
      ...{ outcome, ...place },
      ...{ stdout: output.stdout.first(), stderr: output.stderr.first() },
    }),
    soFar: {
      question: () => question,
      wasStarted: () => place.wasStarted,
      kept: (stream) => output[stream].length(),
      behind: (stream, from, most) => output[stream].behind(from, most),
      watch: (listener, signal) => {
        listeners.add(listener);
        onAbort(signal, () => listeners.delete(listener));
      },
    },
  };
}
