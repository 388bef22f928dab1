export interface NewestReport<T> {
  readonly hear: (report: T) => void;
  /** Takes at once what waits. */
  readonly flush: () => void;
}

/** Takes the first report at once; of those that come within `everyMs` after one that was taken, only the newest. */
export function newestReport<T>(take: (report: T) => void, everyMs: number): NewestReport<T> {
  let waiting: { readonly report: T } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const newest = waiting;
    waiting = undefined;
    if (newest !== undefined) take(newest.report);
  }

  function takeNext(): void {
    timer = waiting && setTimeout(takeNext, everyMs).unref();
    flush();
  }

  return {
    hear: (report) => {
      waiting = { report };
      if (timer === undefined) takeNext();
    },
    flush,
  };
}
