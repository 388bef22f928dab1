/** The steps of a command, in order; those from `leased` on to `planned`, and the last two, only of one in a ghost. */
export type Mark =
  | 'received'
  | 'judged'
  | 'decided'
  | 'inspected'
  | 'asked'
  | 'permitted'
  | 'leased'
  | 'ready'
  | 'settled'
  | 'placed'
  | 'planned'
  | 'started'
  | 'ended'
  | 'home';

/** When an execution reached each step, for measurements. */
export interface Trace {
  readonly mark: (mark: Mark) => void;
  /** Of the first mark: milliseconds since 1970. */
  readonly beganAt: number;
  /** Milliseconds since the first mark. */
  readonly elapsed: () => number;
  /** The same; only for marks that were made. */
  readonly times: () => Readonly<Partial<Record<Mark, number>>>;
}

export function createTrace(): Trace {
  const began = performance.now();
  const times: Partial<Record<Mark, number>> = { received: 0 };
  return {
    beganAt: Date.now(),
    mark: (mark) => {
      times[mark] = performance.now() - began;
    },
    elapsed: () => performance.now() - began,
    times: () => times,
  };
}
