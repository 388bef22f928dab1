import { stat } from 'node:fs/promises';
import { abortable, deadline } from '../../../src/abort.ts';

const lookEveryMs = 10_000;

export interface WatchedRoot extends Disposable {
  /** Aborts if another folder is at the path, and with the reason of `outer`. */
  readonly signal: AbortSignal;
}

/**
 * Watches for another folder at a path. A carrier in its jail cannot: it has no view of the folders above, and of what
 * somebody mounts over one of them. Rejects if the path cannot be looked at in time.
 */
export async function watchRoot(
  path: string,
  outer: AbortSignal,
  everyMs: number = lookEveryMs,
): Promise<WatchedRoot> {
  const another = new AbortController();
  const first = await inTime(folderAt(path), outer);
  let looking = false;
  const look = async () => {
    // A file system that does not answer has one look at a time.
    if (looking) return;
    looking = true;
    const now = await folderAt(path);
    looking = false;
    if (now !== first) another.abort(new Error('another folder is at its path'));
  };
  const timer = setInterval(() => void look(), everyMs);
  return {
    signal: AbortSignal.any([outer, another.signal]),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function inTime<T>(look: Promise<T>, outer: AbortSignal): Promise<T> {
  using late = deadline(lookEveryMs, () => new Error('it cannot be looked at in time'), outer);
  return await abortable(look, late.signal);
}

/** Empty if there is none that can be looked at. */
function folderAt(path: string): Promise<string> {
  return stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => '',
  );
}
