import { PayloadReader } from './payload.ts';

/** What a replica's carrier tells of the disk that it is on, and of what it takes there. Sizes in bytes. */
export interface Measured {
  /** What others than root may still write. */
  readonly room: number;
  readonly disk: number;
  /** Files that can still be made, and how many there can be; 0 of 0: the file system sets no number. */
  readonly freeFiles: number;
  readonly files: number;
  /** All of the volume, carried or not, if that was asked for: blocks, not lengths. */
  readonly bytes: number;
  readonly entries: number;
  /** Of these what is carried: blocks again, and of each file no more than its length. */
  readonly carriedBytes: number;
  readonly carriedEntries: number;
  /** False: there is more than that, too deep or unreadable. */
  readonly whole: boolean;
}

export function parseMeasured(payload: Buffer): Measured {
  const reader = new PayloadReader(payload);
  const measured = {
    ...{ room: reader.count(), disk: reader.count() },
    ...{ freeFiles: reader.count(), files: reader.count() },
    ...{ bytes: reader.count(), entries: reader.count() },
    ...{ carriedBytes: reader.count(), carriedEntries: reader.count() },
    whole: reader.u8() === 1,
  };
  reader.end();
  return measured;
}
