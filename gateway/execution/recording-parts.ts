import { entriesOf } from './recording-entries.ts';
import type { OpenPlace } from './recording-room.ts';

export const partBytes = 64 * 1024;
/** Of the beginning, and as much of the end: 8 MiB an execution, the times counted. */
export const partsOfAnEnd = 64;

export interface RecordingPart {
  readonly buffer: Buffer;
  length: number;
}

/** The first parts of a recording, and the last ones. */
export interface RecordingParts {
  readonly current: () => RecordingPart | undefined;
  /** Another one behind it; if there is no room, an older one goes. */
  readonly next: () => RecordingPart;
  /** From here on all of it stays until it is released: somebody writes it to the disk. */
  readonly read: () => ReadParts;
  readonly release: () => void;
}

export interface ReadParts {
  readonly head: readonly Uint8Array[];
  readonly tail: readonly Uint8Array[];
  /** Bytes of output between the two that are gone. */
  readonly dropped: number;
}

/** If the room that all recordings share is full, the middle goes earlier. */
export function createRecordingParts(openPlace: OpenPlace): RecordingParts {
  const place = openPlace(giveUp);
  const head: RecordingPart[] = [];
  const tail: RecordingPart[] = [];
  let isHeadOver = false;
  let dropped = 0;
  let isRead = false;
  const count = () => head.length + tail.length;

  function obtained(): boolean {
    if (tail.length >= partsOfAnEnd) return false;
    if (place.take(partBytes)) return true;
    if (count() > 0) return false;
    place.force(partBytes);
    return true;
  }

  /** The oldest part of the end, or, where there is no end yet, the last of the beginning. */
  function emptied(): Buffer | undefined {
    isHeadOver = true;
    const part = tail.shift() ?? head.pop();
    if (part === undefined) return undefined;
    for (const entry of entriesOf(written(part))) if ('bytes' in entry) dropped += entry.bytes.length;
    return part.buffer;
  }

  /** For somebody else; the part that is written to stays. */
  function giveUp(): number {
    if (isRead || count() < 2) return 0;
    const current = tail.pop() ?? head.pop();
    emptied();
    if (current !== undefined) tail.push(current);
    return partBytes;
  }

  return {
    current: () => (isHeadOver ? tail : head).at(-1),
    next: () => {
      isHeadOver ||= head.length >= partsOfAnEnd;
      const buffer = (obtained() ? undefined : emptied()) ?? Buffer.allocUnsafe(partBytes);
      const part = { buffer, length: 0 };
      (isHeadOver ? tail : head).push(part);
      return part;
    },
    read: () => {
      isRead = true;
      return { head: head.map(written), tail: tail.map(written), dropped };
    },
    release: place.leave,
  };
}

function written({ buffer, length }: RecordingPart): Uint8Array {
  return buffer.subarray(0, length);
}
