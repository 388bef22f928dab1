import { ClawrdenError } from '../../src/errors.ts';
import type { Faults } from '../../src/faults.ts';
import type { DetachedRows } from '../store/detached-rows.ts';

export interface LivesParts {
  readonly rows: DetachedRows;
  /** The names of all principals that may call over HTTP now. */
  readonly inForce: () => ReadonlySet<string>;
  readonly faults: Faults;
}

export interface Life {
  readonly caller: string;
  readonly gone: AbortSignal;
}

/** What runs without a stream: no connection ends it, so its principal is looked at. */
export interface Lives {
  readonly add: (caller: string) => Life;
  readonly remove: (life: Life) => void;
  readonly end: (life: Life, why: string) => void;
  readonly close: () => void;
}

const lookMs = 2000;
const sweepMs = 60_000;

export function createLives({ inForce, rows, faults }: LivesParts): Lives {
  const lives = new Map<Life, AbortController>();
  const look = () => {
    if (lives.size === 0) return;
    const known = inForce();
    for (const life of lives.keys())
      if (!known.has(life.caller)) end(life, `${life.caller} may call no longer`);
  };
  const end = (life: Life, why: string) => lives.get(life)?.abort(new ClawrdenError('canceled', why));
  const timers = [
    setInterval(faults.guard('detached executions', look), lookMs).unref(),
    setInterval(faults.guard('results', rows.sweep), sweepMs).unref(),
  ];
  return {
    add: (caller) => {
      const gone = new AbortController();
      const life = { caller, gone: gone.signal };
      lives.set(life, gone);
      return life;
    },
    remove: (life) => void lives.delete(life),
    end,
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
