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
  const texts: string[] = [];
  return {
    read: () => texts,
    add: async (text) => {
      if (texts.length < notesAtMost) texts.push(text);
    },
  };
}

const notesAtMost = 10;

/** A line for each in `file`. An operator acknowledges them by moving the file away. */
export function faultNotesIn(file: string): FaultNotes {
  return {
    read: () => readFaultNotes(file),
    add: async (fault) => {
      const text = fault.replaceAll('\n', ' ');
      const known = readFaultNotes(file);
      if (known.some((line) => line.endsWith(` ${text}`))) return;
      const line = `${new Date().toISOString()} ${text}\n`;
      // In bytes, because an operator's paths may have any encoding.
      if (Buffer.byteLength(`${known.join('\n')}\n${line}`) > mostNoteBytes) return;
      await append(file, line);
    },
  };
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
