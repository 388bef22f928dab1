import type { Sample } from '../ports/metrics.ts';

/** Seconds: from a decision to a build. */
const bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1800];

export interface Histogram {
  readonly add: (seconds: number) => void;
  readonly samples: (labels: Readonly<Record<string, string>>) => readonly Sample[];
}

export function createHistogram(): Histogram {
  const counts = bounds.map(() => 0);
  let [sum, count] = [0, 0];
  return {
    add: (seconds) => {
      sum += seconds;
      count += 1;
      for (const [at, bound] of bounds.entries()) if (seconds <= bound) counts[at] = (counts[at] ?? 0) + 1;
    },
    samples: (labels) => [
      ...bounds.map((bound, at) => ({
        part: 'bucket' as const,
        labels: { ...labels, le: String(bound) },
        value: counts[at] ?? 0,
      })),
      { part: 'bucket', labels: { ...labels, le: '+Inf' }, value: count },
      { part: 'sum', labels, value: sum },
      { part: 'count', labels, value: count },
    ],
  };
}
