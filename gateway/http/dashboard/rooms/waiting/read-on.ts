import type { Reading } from './reading.ts';

/** Brings what was not on the screen yet onto it. */
export function readOn(reading: Reading): void {
  const next = reading.firstUnseen();
  const line =
    document.querySelector(`[data-piece="${next}"]`) ?? document.querySelector('.plan-rest button');
  line?.scrollIntoView({ block: 'start' });
  if (line instanceof HTMLButtonElement) line.focus({ preventScroll: true });
}
