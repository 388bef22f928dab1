/** The memory that all recordings of running commands share. */
export interface RecordingRoom {
  /** False if there is none. */
  readonly take: (bytes: number) => boolean;
  /** Takes it in any case. */
  readonly force: (bytes: number) => void;
  readonly give: (bytes: number) => void;
}

const defaultRoom = 256 * 1024 * 1024;

export function createRecordingRoom(most = defaultRoom): RecordingRoom {
  let taken = 0;
  const force = (bytes: number) => {
    taken += bytes;
  };
  return {
    take: (bytes) => {
      if (taken + bytes > most) return false;
      force(bytes);
      return true;
    },
    force,
    give: (bytes) => {
      taken -= bytes;
    },
  };
}
