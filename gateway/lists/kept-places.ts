/**
 * Places in lists that are too long for a token. All together have a size: the oldest of the reader that has most goes
 * first, so that nobody who turns pages takes the places of others.
 */
export interface KeptPlaces {
  /** The number under which it is found again. */
  readonly keep: (reader: string, place: readonly number[]) => number;
  readonly find: (number: number) => readonly number[] | undefined;
}

interface Reader {
  readonly places: Map<number, readonly number[]>;
  /** Of all its places together. */
  size: number;
}

/** 8 MB. */
const numbersAtMost = 1_000_000;

export function createKeptPlaces(most = numbersAtMost): KeptPlaces {
  const readers = new Map<string, Reader>();
  let [last, size] = [0, 0];

  function add(reader: Reader, by: number): void {
    reader.size += by;
    size += by;
  }

  function dropOldest(): void {
    const [largest] = [...readers].toSorted(([, a], [, b]) => b.size - a.size);
    if (largest === undefined) return;
    const [name, reader] = largest;
    const [oldest] = reader.places;
    if (oldest !== undefined) {
      reader.places.delete(oldest[0]);
      add(reader, -oldest[1].length);
    }
    if (reader.places.size === 0) readers.delete(name);
  }

  return {
    keep: (name, place) => {
      const reader = readers.get(name) ?? { places: new Map(), size: 0 };
      readers.set(name, reader);
      last += 1;
      reader.places.set(last, place);
      add(reader, place.length);
      while (size > most) dropOldest();
      return last;
    },
    find: (number) => {
      for (const { places } of readers.values()) if (places.has(number)) return places.get(number);
      return undefined;
    },
  };
}
