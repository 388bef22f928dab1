import { fileStamp } from './file-stamp.ts';

const lookEveryMs = 250;

/**
 * Calls `onChange` when the file was written or replaced and has been left alone for a quarter of a second, until
 * `signal` aborts. The file itself is looked at: the kernel tells of a folder only, and the gateway's own writes are
 * in the same one.
 */
export function watchFile(file: string, onChange: () => void, signal: AbortSignal): void {
  let seen = fileStamp(file);
  let told = seen;
  const timer = setInterval(() => {
    const found = fileStamp(file);
    if (found === seen && found !== told) {
      told = found;
      onChange();
    }
    seen = found;
  }, lookEveryMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
