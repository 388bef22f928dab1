import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Exchanges of two carriers that were cut at a frame's boundary or within it. */
export interface Cuts {
  /** Frames to a carrier, and from one. */
  readonly counts: { readonly to: number; readonly from: number };
  readonly problems: readonly string[];
  /** What it ended with is a problem, unless it is 0. */
  readonly stop: () => Promise<void>;
}

interface Line {
  readonly to: number;
  readonly from: number;
  readonly problems: readonly string[];
}

/** So many that a run of half an hour has thousands, and so few that the commands beside them hardly feel it. */
const everyMs = 500;

/** A process of its own: what it waits for is not to hold up the soak's own clock. */
export function startCuts(seed: number): Cuts {
  const argv = [join(import.meta.dirname, 'cut-runner.ts'), String(seed), String(everyMs)];
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const problems: string[] = [];
  let counts = { to: 0, from: 0 };
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { problems: more, ...now } = JSON.parse(line) as Line;
    counts = now;
    problems.push(...more);
  });
  return {
    get counts() {
      return counts;
    },
    problems,
    stop: async () => {
      child.stdin.end();
      const [code, signal] = await ended;
      if (code !== 0) problems.push(`the exchanges that are cut ended with ${code ?? signal}`);
    },
  };
}
