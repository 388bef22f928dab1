/** The memory that all recordings of running commands share. */
export interface RecordingRoom {
  readonly of: (agent: string) => OpenPlace;
}

/**
 * A place for one recording. `giveUp` frees a part of it, and says how many bytes that were: it is called if the room
 * is full and another agent has less.
 */
export type OpenPlace = (giveUp: () => number) => RecordingPlace;

export interface RecordingPlace {
  /** False if there is no room, and no agent that has more. */
  readonly take: (bytes: number) => boolean;
  /** Takes it in any case. */
  readonly force: (bytes: number) => void;
  /** Gives back all of it. */
  readonly leave: () => void;
}

interface Place {
  bytes: number;
  readonly giveUp: () => number;
}

interface Share {
  bytes: number;
  readonly places: Set<Place>;
}

const defaultRoom = 256 * 1024 * 1024;

export function createRecordingRoom(most = defaultRoom): RecordingRoom {
  const shares = new Map<string, Share>();
  let taken = 0;

  function add(share: Share, place: Place, bytes: number): void {
    share.bytes += bytes;
    place.bytes += bytes;
    taken += bytes;
  }

  /** Of agents that have more, also when this is taken, what has most gives up a part. False if none does. */
  function freePart(bytes: number, own: Share): boolean {
    const larger = [...shares.values()].filter((share) => share.bytes - bytes >= own.bytes + bytes);
    for (const share of larger.toSorted(mostFirst)) {
      for (const place of [...share.places].toSorted(mostFirst)) {
        const freed = place.giveUp();
        add(share, place, -freed);
        if (freed > 0) return true;
      }
    }
    return false;
  }

  return {
    of: (agent) => (giveUp) => {
      const share = shares.get(agent) ?? { bytes: 0, places: new Set() };
      const place = { bytes: 0, giveUp };
      shares.set(agent, share);
      share.places.add(place);
      const force = (bytes: number) => add(share, place, bytes);
      return {
        take: (bytes) => {
          while (taken + bytes > most) if (!freePart(bytes, share)) return false;
          force(bytes);
          return true;
        },
        force,
        leave: () => {
          force(-place.bytes);
          share.places.delete(place);
          if (share.places.size === 0 && shares.get(agent) === share) shares.delete(agent);
        },
      };
    },
  };
}

function mostFirst(a: { readonly bytes: number }, b: { readonly bytes: number }): number {
  return b.bytes - a.bytes;
}
