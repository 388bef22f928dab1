import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBackwards } from '../../audit/read-backwards.ts';
import { printJson } from '../print/output.ts';

const pollMs = 250;
const chunkBytes = 1024 * 1024;

/** Prints the last `count` records of the log, and with `follow` what comes, over rotations, until interrupted. */
export async function tailAudit(file: string, count: number, follow: boolean): Promise<void> {
  let handle = await open(file, 'r');
  let end = await printLast(handle, count);
  while (follow) {
    await sleep(pollMs);
    const next = await reopened(file, handle);
    // The file that was put aside may have got some last ones.
    end = await printFrom(handle, end);
    if (next === undefined) continue;
    await handle.close();
    handle = next;
    end = 0;
  }
  await handle.close();
}

/** Undefined while the log has the same file. */
async function reopened(file: string, handle: FileHandle): Promise<FileHandle | undefined> {
  const now = await stat(file).catch(() => undefined);
  const before = await handle.stat();
  if (now === undefined || (now.ino === before.ino && now.dev === before.dev)) return undefined;
  return await open(file, 'r').catch(() => undefined);
}

/** Escaped again: agents wrote parts of it. What is no record is shown as the text that it is. */
function printRecord(line: string): void {
  let record: unknown = line;
  try {
    record = JSON.parse(line);
  } catch {}
  printJson(record);
}

/** Resolves with the offset behind the last whole line. */
async function printLast(handle: FileHandle, count: number): Promise<number> {
  const lines: string[] = [];
  let end = 0;
  for await (const line of readBackwards(handle)) {
    end ||= line.end;
    if (lines.length === count) break;
    lines.push(line.text);
  }
  for (const line of lines.reverse()) printRecord(line);
  return end;
}

/** The whole lines from `start` on; resolves with the offset behind them. */
async function printFrom(handle: FileHandle, start: number): Promise<number> {
  let begun = '';
  let end = start;
  for (let at = start; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return end;
    at += bytesRead;
    // In ASCII, as every record is: no character is cut in two.
    const lines = (begun + buffer.toString('latin1', 0, bytesRead)).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) printRecord(line);
    end = at - begun.length;
  }
}
