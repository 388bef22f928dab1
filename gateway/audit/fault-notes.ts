import { open } from 'node:fs/promises';
import { mostNoteBytes, readFaultNotes } from '../../src/audit/fault-notes.ts';
import { syncFolder } from './log-file.ts';

/** Faults of the audit that nobody has acknowledged; they survive the gateway. */
export interface FaultNotes {
  readonly read: () => readonly string[];
  /** On the disk when it resolves. */
  readonly add: (text: string) => Promise<void>;
}

/** For a log without a notes file: kept while the log is open. */
export function faultNotesInMemory(): FaultNotes {
  const notes: string[] = [];
  return {
    read: () => notes,
    add: async (fault) => {
      if (!isNoted(notes, fault) && notes.length < notesAtMost) notes.push(noteOf(fault));
    },
  };
}

const notesAtMost = 10;

/** A line for each in `file`. An operator acknowledges them by moving the file away. */
export function faultNotesIn(file: string): FaultNotes {
  return {
    read: () => readFaultNotes(file),
    add: async (fault) => {
      const known = readFaultNotes(file);
      if (isNoted(known, fault)) return;
      const line = `${noteOf(fault)}\n`;
      // In bytes, because an operator's paths may have any encoding.
      if (Buffer.byteLength(`${known.join('\n')}\n${line}`) > mostNoteBytes) return;
      await append(file, line);
    },
  };
}

/** A note is a time and the fault, on one line. */
function noteOf(fault: string): string {
  return `${new Date().toISOString()} ${onOneLine(fault)}`;
}

/** Whether one of the notes is about this fault. */
export function isNoted(notes: readonly string[], fault: string): boolean {
  const text = onOneLine(fault);
  return notes.some((note) => note.slice(note.indexOf(' ') + 1) === text);
}

function onOneLine(fault: string): string {
  return fault.replaceAll('\n', ' ').toWellFormed();
}

async function append(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.writeFile(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(file);
}
