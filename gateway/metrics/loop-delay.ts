import type { Metric } from '../ports/metrics.ts';
import { createHistogram } from './histogram.ts';

/** How late the one thread that serves everybody comes to what is due. */
export interface LoopDelay extends Disposable {
  readonly metrics: () => readonly Metric[];
}

const everyMs = 100;

export function createLoopDelay(): LoopDelay {
  const seconds = createHistogram();
  let due = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    seconds.add(Math.max(0, now - due) / 1000);
    due = now + everyMs;
  }, everyMs).unref();
  return {
    metrics: () => [
      {
        ...{ name: 'clawrden_loop_delay_seconds', type: 'histogram' },
        help: 'How late the one thread that serves everybody was, looked at ten times a second.',
        samples: seconds.samples({}),
      },
    ],
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
