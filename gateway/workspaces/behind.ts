import { sameVersion } from '../../src/carrier-client/exchange.ts';
import type { Home, Slot } from './replicas.ts';

/** A carrier that has to be started, on an engine that is idle. */
const openMs = 150;
/** An exchange of a few files. */
const exchangeMs = 10;
/** What engines, disks and a network of 1 Gbit/s take of a first copy, at most. */
const bytesPerMs = 100_000;

/** What it costs to bring a replica to where home is: nothing known of it means a first copy. */
export function behindMs(slot: Slot | undefined, home: Home | undefined): number {
  const { opening, at } = slot ?? {};
  const open = opening === undefined ? openMs : 0;
  if (at === undefined || at.epoch === 0n) return open + exchangeMs + (home?.bytes ?? 0) / bytesPerMs;
  if (home === undefined || sameVersion(at, home.version)) return open;
  return open + exchangeMs;
}
