/** A place where a relay's identity is used: a connection, and the connections to which it was renewed. */
export interface Place {
  /** `ADDRESS:PORT`, of the first connection. */
  readonly peer: string;
}

/** Where relays were connected before another place replaced theirs. */
export interface DisplacedPlaces {
  /** Remembered for 15 s. */
  readonly add: (relay: string, place: Place) => void;
  readonly of: (relay: string) => readonly Place[];
}

/** A relay whose connection has ended notices that within this time, and ends what it runs. */
export const relayNoticesMs = 15_000;

export function createDisplacedPlaces(): DisplacedPlaces {
  const displaced = new Map<string, Set<Place>>();

  function forget(relay: string, place: Place): void {
    const places = displaced.get(relay);
    places?.delete(place);
    if (places?.size === 0) displaced.delete(relay);
  }

  return {
    add: (relay, place) => {
      const places = displaced.get(relay) ?? new Set();
      displaced.set(relay, places.add(place));
      setTimeout(() => forget(relay, place), relayNoticesMs).unref();
    },
    of: (relay) => [...(displaced.get(relay) ?? [])],
  };
}
