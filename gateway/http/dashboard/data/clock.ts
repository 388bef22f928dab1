import { type ReadonlySignal, signal } from '@preact/signals';

/** The time, every second: what is shown relative to it stays true. */
export function createClock(): ReadonlySignal<number> {
  const now = signal(Date.now());
  setInterval(() => {
    now.value = Date.now();
  }, 1000);
  return now;
}
