import type { Logger } from 'pino';
import { onAbort } from '../../src/abort.ts';
import type { ServerFiles } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import { createListeners } from '../../src/listeners.ts';
import { readServerPair, type ServerPair } from '../../src/pki/server-pair.ts';
import { watchFile } from './watch-file.ts';

/** A door's own certificate and key, from files. */
export interface LivePair {
  /** The last good one. */
  readonly now: () => ServerPair;
  /** Calls `listener` when another one is in force. */
  readonly watch: (listener: () => void) => void;
  /** What a person should know of it. */
  readonly warnings: () => readonly string[];
  /** From now on a change of the files comes into force, until `signal` aborts. */
  readonly follow: (parts: FollowParts, signal: AbortSignal) => void;
}

export interface FollowParts {
  readonly log: Logger;
  readonly faults: Faults;
}

const [dayMs, warnDays, lookMs] = [86_400_000, 14, 3_600_000];

/** `at`: the key of gateway.yaml. Throws a line that names the file if they cannot be used now. */
export function openServerFiles(files: ServerFiles, at: string): LivePair {
  const first = read(files, at);
  if ('problem' in first) throw new Error(first.problem);
  let current = first.pair;
  let problem = '';
  const { watch, tell: changed } = createListeners();

  function take({ log }: FollowParts): boolean {
    const found = read(files, at);
    const before = problem;
    problem = 'problem' in found ? found.problem : '';
    if (problem !== '' && problem !== before)
      log.error({ problem }, 'a certificate is not in force, the last good one is');
    if ('problem' in found) return false;
    if (isSame(found.pair, current)) return true;
    current = found.pair;
    changed();
    log.info({ key: at, until: current.leaf.validToDate }, 'a certificate was loaded again');
    return true;
  }

  const warnings = () => [
    ...(problem === '' ? [] : [`${problem}; the last good certificate is in force`]),
    ...endOf(current, at),
  ];
  return {
    now: () => current,
    watch,
    warnings,
    follow: (parts, signal) => {
      // What cannot be used is looked at again: one file was written before the other, or its time has not come.
      for (const file of [files.cert, files.key])
        void watchFile(file, () => take(parts), parts.faults, signal);
      const tell = parts.faults.guard('certificate', () => {
        for (const text of endOf(current, at)) parts.log.warn(text);
      });
      tell();
      const timer = setInterval(tell, lookMs).unref();
      onAbort(signal, () => clearInterval(timer));
    },
  };
}

function read(files: ServerFiles, at: string): { readonly pair: ServerPair } | { readonly problem: string } {
  try {
    return { pair: readServerPair(files) };
  } catch (error) {
    return { problem: `${at}: ${(error as Error).message}` };
  }
}

function isSame(one: ServerPair, other: ServerPair): boolean {
  return one.certificate === other.certificate && one.key === other.key;
}

/** In the last third of its life, and the last two weeks. */
function endOf({ leaf: { validFromDate, validToDate } }: ServerPair, at: string): string[] {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  const left = to - Date.now();
  if (left > Math.min(warnDays * dayMs, (to - from) / 3)) return [];
  const when = validToDate.toISOString();
  return [
    `${at}: its certificate ${left <= 0 ? 'expired' : 'expires'} on ${when}; put a new one into its files`,
  ];
}
