import { createTerminalFilter, plainLetters } from '../../text/terminal-filter.ts';
import { writeOut } from '../print/streams.ts';
import { tell } from '../print/tell.ts';

/** Writes what a tool wrote, as far as it cannot control the terminal. */
export interface TerminalWriter extends Disposable {
  /** Resolves when its reader has taken it. */
  readonly write: (text: string, to?: 'stdout' | 'stderr') => Promise<void>;
  /** Something is left out here. */
  readonly gap: (why: string) => void;
}

/** Leaves the terminal with plain letters, also if it is interrupted. */
export function createTerminalWriter(what: string): TerminalWriter {
  const filters = { stdout: createTerminalFilter(), stderr: createTerminalFilter() };
  const plain = () => {
    if (process.stdout.isTTY) process.stdout.write(plainLetters);
  };
  const interrupted = () => {
    plain();
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  return {
    write: (text, to = 'stdout') => {
      const shown = filters[to].next(text);
      if (to === 'stdout') writeOut('');
      return new Promise((resolve) => process[to].write(shown, () => resolve()));
    },
    gap: (why) => {
      for (const filter of Object.values(filters)) filter.end();
      plain();
      tell(`clawrden: ${what}: ${why}`);
    },
    [Symbol.dispose]: () => {
      process.off('SIGINT', interrupted);
      plain();
      const left = filters.stdout.left() + filters.stderr.left();
      if (left > 0) tell(`clawrden: ${what}: ${left} control sequences of it were left out`);
    },
  };
}
