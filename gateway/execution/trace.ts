/** The steps of a command in a ghost, in order. */
export type Mark =
  | 'received'
  | 'judged'
  | 'decided'
  | 'settled'
  | 'placed'
  | 'planned'
  | 'started'
  | 'ended'
  | 'home';

/** When an execution reached each step, for measurements. */
export interface Trace {
  readonly mark: (mark: Mark) => void;
  /** Milliseconds since the first mark; only for marks that were made. */
  readonly times: () => Readonly<Partial<Record<Mark, number>>>;
}

export function createTrace(): Trace {
  const began = performance.now();
  const times: Partial<Record<Mark, number>> = { received: 0 };
  return {
    mark: (mark) => {
      times[mark] = performance.now() - began;
    },
    times: () => times,
  };
}
