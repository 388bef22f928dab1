import { setTimeout as sleep } from 'node:timers/promises';
import { ClawrdenError } from '../../src/errors.ts';
import type { Relays } from '../control/relays.ts';
import type { Ledger } from '../execution/ledger.ts';

/** How long running work may continue after the first TERM; a second TERM ends it at once. */
const drainMs = 30_000;
const stopAgainMs = 1_000;

/** So long it takes what relays sent before they heard that it shuts down. */
const toldMs = 1_000;
const onItsWayMs = 100;

/** Resolves when nothing runs any more. */
export async function drain(
  ledger: Pick<Ledger, 'stopRunning' | 'drain'>,
  relays: Pick<Relays, 'leave'>,
): Promise<void> {
  const halt = () => ledger.stopRunning(new ClawrdenError('canceled', 'the gateway is shutting down'));
  let again: NodeJS.Timeout | undefined;
  const stop = () => {
    halt();
    again ??= setInterval(halt, stopAgainMs);
  };
  const timer = setTimeout(stop, drainMs);
  const asked = untilAsked();
  void asked.then(stop);
  const told = relays.leave().then(() => sleep(onItsWayMs));
  await Promise.race([told, asked, sleep(toldMs)]);
  await ledger.drain();
  clearTimeout(timer);
  clearInterval(again);
}

/** Resolves at the next TERM or INT. */
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
