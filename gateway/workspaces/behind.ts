import { sameVersion } from '../../src/carrier-client/exchange.ts';
import type { Home } from './replicas.ts';
import type { Slot } from './slot.ts';

/** A carrier that has to be started, on an engine that is idle. */
const openMs = 150;
/** An exchange of a few files. */
const exchangeMs = 10;
/** What engines, disks and a network of 1 Gbit/s take, at most. */
const bytesPerMs = 100_000;
/** What a carrier makes of small files: `scripts/bench --only workspaces` measures it. */
const entriesPerMs = 5;

/**
 * A copy costs no more than this. Sizes are a replica's own word: whatever it says, other hosts cost less than one that
 * is left out (`follow.ts`) or that has just failed.
 */
const mostMs = 300_000;

/** What it costs to bring a replica to where home is: nothing known of it means a first copy. */
export function behindMs(slot: Slot | undefined, home: Home | undefined): number {
  const open = slot?.opening === undefined ? openMs : 0;
  if (slot?.at === undefined || slot.at.epoch === 0n) return open + exchangeMs + copyMs(home);
  if (home === undefined || sameVersion(slot.at, home.version)) return open;
  return open + exchangeMs + copyMs(home, slot);
}

/** Of what is more or less there than at home: as many entries and bytes have changed at least. */
function copyMs(home: Partial<Home> = {}, there: Pick<Partial<Slot>, 'bytes' | 'entries'> = {}): number {
  const apart = (key: 'bytes' | 'entries') => Math.abs((home[key] ?? 0) - (there[key] ?? 0));
  return Math.min(mostMs, Math.max(apart('bytes') / bytesPerMs, apart('entries') / entriesPerMs));
}
