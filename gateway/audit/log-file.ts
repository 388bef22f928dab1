import { lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lockDescriptor } from '../../src/lock.ts';

/**
 * One file of the log, opened for appending by this process alone. When `append` has resolved, the record is on the
 * disk, and the file's name too.
 */
export class LogFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #dev: number;
  readonly #ino: number;
  /** Everything up to this offset is complete. */
  #end: number;
  /** A failed write left bytes after the end, up to this offset; all of them are ours. */
  #reach: number;
  /** Its name in its folder may not be on the disk yet. */
  #nameIsNew = true;

  private constructor(path: string, handle: FileHandle, at: { dev: number; ino: number; size: number }) {
    this.path = path;
    this.#handle = handle;
    this.#dev = at.dev;
    this.#ino = at.ino;
    this.#end = at.size;
    this.#reach = at.size;
  }

  /** Uses the open file, which has only whole lines. Throws if another gateway writes it. */
  static async take(path: string, handle: FileHandle): Promise<LogFile> {
    lockDescriptor(handle.fd, `another gateway writes ${path}`);
    return new LogFile(path, handle, await handle.stat());
  }

  get end(): number {
    return this.#end;
  }

  /** Empty, or what happened to the file's name meanwhile. */
  fault(): string {
    try {
      const { dev, ino, size } = lstatSync(this.path);
      if (dev !== this.#dev || ino !== this.#ino) return 'another file has its name';
      if (size < this.#end) return `it was cut to ${size} of its ${this.#end} bytes`;
      return size > this.#reach ? 'another program wrote to it' : '';
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? 'it was removed or renamed' : message;
    }
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (this.#reach > this.#end) await this.#cut();
    if (this.#nameIsNew) await syncFolder(this.path);
    this.#nameIsNew = false;
    this.#reach = this.#end + bytes.length;
    try {
      for (let written = 0; written < bytes.length; ) {
        const at = this.#end + written;
        written += (await this.#handle.write(bytes, written, undefined, at)).bytesWritten;
      }
      await this.#handle.datasync();
      this.#end += bytes.length;
    } catch (error) {
      // What cannot be cut off now is cut off before the next record.
      await this.#cut().catch(() => {});
      throw error;
    }
  }

  async #cut(): Promise<void> {
    await this.#handle.truncate(this.#end);
    this.#reach = this.#end;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

export async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
