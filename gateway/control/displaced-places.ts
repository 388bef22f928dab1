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

/** The place's connection is ended; the place notices that within this time, and ends what it runs. */
const rememberMs = 15_000;

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
      setTimeout(() => forget(relay, place), rememberMs).unref();
    },
    of: (relay) => [...(displaced.get(relay) ?? [])],
  };
}
