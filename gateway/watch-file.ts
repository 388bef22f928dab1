import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

const settledMs = 250;

/**
 * Calls `onChange` when the file was written or replaced and has been left alone for a quarter of a second, until
 * `signal` aborts; `onError` where it can be watched no more. It is the folder that is watched: a file that is replaced
 * is another one.
 */
export function watchFile(
  file: string,
  { onChange, onError }: { readonly onChange: () => void; readonly onError: (error: Error) => void },
  signal: AbortSignal,
): void {
  let timer: NodeJS.Timeout | undefined;
  const name = basename(file);
  try {
    const watching = watch(dirname(file), { persistent: false, signal }, (_event, changed) => {
      if (changed !== null && changed !== name) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, settledMs).unref();
    });
    watching.on('error', onError);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  } catch (error) {
    onError(error as Error);
  }
}
