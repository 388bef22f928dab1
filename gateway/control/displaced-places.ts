/** Where relays were connected from until another connection of theirs took the place. */
export interface DisplacedPlaces {
  /** Remembered for 15 s, or until it is back: two places with one identity displace each other again and again. */
  readonly add: (relay: string, peer: string) => void;
  readonly isBack: (relay: string, peer: string) => void;
  readonly of: (relay: string) => readonly string[];
}

/** A connection that is gone is noticed sooner. */
const rememberMs = 15_000;

export function createDisplacedPlaces(): DisplacedPlaces {
  const places = new Map<string, Map<string, NodeJS.Timeout>>();

  function isBack(relay: string, peer: string): void {
    const peers = places.get(relay);
    clearTimeout(peers?.get(peer));
    peers?.delete(peer);
    if (peers?.size === 0) places.delete(relay);
  }

  return {
    add: (relay, peer) => {
      isBack(relay, peer);
      const peers = places.get(relay) ?? new Map<string, NodeJS.Timeout>();
      places.set(relay, peers);
      peers.set(peer, setTimeout(() => isBack(relay, peer), rememberMs).unref());
    },
    isBack,
    of: (relay) => [...(places.get(relay)?.keys() ?? [])],
  };
}
