/** Somewhere that a relay's identity is used: a connection, and those that it is renewed over to. */
export interface Place {
  /** `ADDRESS:PORT`, of the first connection. */
  readonly peer: string;
}

/** Where relays were connected from until another place took theirs. */
export interface DisplacedPlaces {
  /** Remembered for 15 s. */
  readonly add: (relay: string, place: Place) => void;
  readonly of: (relay: string) => readonly Place[];
}

/** Its connection is ended, which it notices sooner, and then ends what it runs. */
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
