import { ClawrdenError } from '../../src/errors.ts';
import type { Ledger } from '../execution/ledger.ts';

/** How long running work may continue after the first TERM; a second TERM ends it at once. */
const drainMs = 30_000;

/** Resolves when nothing runs any more. */
export async function drain(ledger: Ledger): Promise<void> {
  const stop = () => ledger.stopRunning(new ClawrdenError('canceled', 'the gateway is shutting down'));
  const timer = setTimeout(stop, drainMs);
  void untilAsked().then(stop);
  await ledger.drain();
  clearTimeout(timer);
}

/** Resolves at the next TERM or INT. */
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
