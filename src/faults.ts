import type { Logger } from 'pino';

/** What nobody foresaw: counted and logged, so that it ends what it happened to, and never the process. */
export interface Faults {
  /** How many there were. */
  readonly count: () => number;
  readonly report: (where: string, error: unknown) => void;
  /**
   * `run`, for a timer or a listener: what it throws, or rejects with, is reported under `where`, and then `end` is
   * called to end the one peer that it was about.
   */
  readonly guard: <Args extends readonly unknown[]>(
    where: string,
    run: (...args: Args) => unknown,
    end?: (...args: Args) => void,
  ) => (...args: Args) => void;
}

export function createFaults(log: Pick<Logger, 'error'>): Faults {
  let count = 0;

  function report(where: string, error: unknown): void {
    count += 1;
    log.error({ where, faults: count, error: textOf(error) }, 'unforeseen: this is a bug, please report it');
  }

  return {
    count: () => count,
    report,
    guard:
      (where, run, end) =>
      (...args) => {
        const failed = (error: unknown): void => {
          report(where, error);
          try {
            end?.(...args);
          } catch (second) {
            report(where, second);
          }
        };
        try {
          const result = run(...args);
          if (result instanceof Promise) result.catch(failed);
        } catch (error) {
          failed(error);
        }
      },
  };
}

/** From here on nothing that one call or one peer leaves unhandled ends the process. */
export function outliveFaults(faults: Faults): void {
  process.on('uncaughtException', (error) => faults.report('uncaught exception', error));
  process.on('unhandledRejection', (reason) => faults.report('unhandled rejection', reason));
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
