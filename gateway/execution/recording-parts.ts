import { entriesOf } from './recording-entries.ts';
import type { RecordingRoom } from './recording-room.ts';

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
  readonly head: () => readonly Uint8Array[];
  readonly tail: () => readonly Uint8Array[];
  /** Bytes of output between the two that are gone. */
  readonly dropped: () => number;
  readonly release: () => void;
}

/** If the room that all recordings share is full, the middle goes earlier. */
export function createRecordingParts(room: RecordingRoom): RecordingParts {
  const head: RecordingPart[] = [];
  const tail: RecordingPart[] = [];
  let isHeadOver = false;
  let dropped = 0;
  const count = () => head.length + tail.length;

  function obtained(): boolean {
    if (tail.length >= partsOfAnEnd) return false;
    if (room.take(partBytes)) return true;
    if (count() > 0) return false;
    room.force(partBytes);
    return true;
  }

  /** The oldest part of the end, or, where there is no end yet, the last of the beginning. */
  function emptied(): Buffer {
    isHeadOver = true;
    const part = tail.shift() ?? head.pop();
    if (part === undefined) return Buffer.allocUnsafe(partBytes);
    for (const entry of entriesOf(written(part))) if ('bytes' in entry) dropped += entry.bytes.length;
    return part.buffer;
  }

  return {
    current: () => (isHeadOver ? tail : head).at(-1),
    next: () => {
      isHeadOver ||= head.length >= partsOfAnEnd;
      const buffer = obtained() ? Buffer.allocUnsafe(partBytes) : emptied();
      const part = { buffer, length: 0 };
      (isHeadOver ? tail : head).push(part);
      return part;
    },
    head: () => head.map(written),
    tail: () => tail.map(written),
    dropped: () => dropped,
    release: () => room.give(count() * partBytes),
  };
}

function written({ buffer, length }: RecordingPart): Uint8Array {
  return buffer.subarray(0, length);
}
