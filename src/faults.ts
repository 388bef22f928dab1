import type { Logger } from 'pino';

/**
 * Errors that the code did not foresee: counted and logged. They end the call or peer in which they happened, never
 * the process.
 */
export interface Faults {
  /** Number of such errors so far. */
  readonly count: () => number;
  readonly report: (where: string, error: unknown) => void;
  /**
   * Wraps `run` for a timer or a listener. If it throws or rejects, the error is reported under `where`, and `end` is
   * called to end the one peer that it concerns.
   */
  readonly guard: <Args extends readonly unknown[]>(
    where: string,
    run: (...args: Args) => unknown,
    end?: (...args: Args) => void,
  ) => (...args: Args) => void;
}

/** `isForeseen` tells of what is no such error, and then says true. */
export function createFaults(
  log: Pick<Logger, 'error'>,
  isForeseen: (where: string, error: unknown) => boolean = () => false,
): Faults {
  let count = 0;

  function report(where: string, error: unknown): void {
    if (isForeseen(where, error)) return;
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

/** From here on, no error that a call or a peer leaves unhandled ends the process. */
export function outliveFaults(faults: Faults): void {
  process.on('uncaughtException', (error) => faults.report('uncaught exception', error));
  process.on('unhandledRejection', (reason) => faults.report('unhandled rejection', reason));
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
