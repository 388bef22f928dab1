import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a file to be read. A FIFO or a device would hold up the reader for ever: it is refused. */
export async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${file} is not a regular file`);
}

/** A file of a log: by a name that it keeps, or open. */
export type LogPart = string | { readonly name: string; readonly handle: FileHandle };

export function nameOf(part: LogPart): string {
  return typeof part === 'string' ? part : part.name;
}

/** What was open stays open. */
export async function openPart(part: LogPart): Promise<{ readonly handle: FileHandle } & AsyncDisposable> {
  if (typeof part !== 'string') return { handle: part.handle, [Symbol.asyncDispose]: async () => {} };
  const handle = await openRegular(part);
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}
