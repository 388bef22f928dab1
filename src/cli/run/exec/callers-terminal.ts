import { spawnSync } from 'node:child_process';
import { isatty } from 'node:tty';
import type { TerminalSize } from '../../../command.ts';
import { CliError } from '../../reach/cli-error.ts';

/** The terminal on this process's stdin and stdout. */
export interface CallersTerminal {
  readonly size: () => TerminalSize;
  /** From now on keys arrive as bytes, and output is written unchanged. */
  readonly makeRaw: () => void;
  /** Restores the terminal for good. */
  readonly restore: () => void;
  /** Restores the terminal while `work` runs. */
  readonly lend: (work: () => void) => void;
}

/** Throws a line about `what` if stdin or stdout is no terminal. `onResize` is called after every change of size. */
export function openCallersTerminal(onResize: (size: TerminalSize) => void, what = 'exec'): CallersTerminal {
  if (!isatty(0) || !isatty(1)) {
    throw new CliError(what, '--tty needs a terminal as stdin and as stdout', 'leave it out');
  }
  const found = stty('-g').trim();
  let raw = false;
  function makeRaw(): void {
    // Node's own raw mode still turns a line feed into two characters.
    if (!raw) stty('raw', '-echo', '-iexten');
    raw = true;
  }
  function restore(): void {
    // The terminal may be gone by now; then there is nothing to restore.
    if (raw) spawnSync('stty', [found], { stdio: ['inherit', 'ignore', 'ignore'] });
    raw = false;
  }
  function lend(work: () => void): void {
    const wasRaw = raw;
    restore();
    work();
    if (wasRaw) makeRaw();
  }

  process.stdout.on('resize', () => onResize(sizeNow()));
  return { size: sizeNow, makeRaw, restore, lend };
}

function sizeNow(): TerminalSize {
  const [cols, rows] = process.stdout.getWindowSize();
  return { cols, rows };
}

function stty(...args: string[]): string {
  const { error, status, stdout } = spawnSync('stty', args, {
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  if (error !== undefined || status !== 0) {
    throw new CliError('exec', `stty ${args.join(' ')} failed on the terminal`, 'leave --tty out');
  }
  return stdout;
}
