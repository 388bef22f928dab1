import { cutBack } from '../../src/text/cut-back.ts';
import { mostBytes } from './read-body.ts';

interface PagePart {
  readonly bytes: Buffer;
  readonly lines: readonly string[];
  /** False if it ends where nobody read on. */
  readonly isWhole: boolean;
}

/** What is wanted of it, and where to go on. `isCut`: there is more of the page than was read. */
export function partOf(
  whole: Buffer,
  isCut: boolean,
  { from, max }: { readonly from: number; readonly max: number },
): PagePart {
  const start = Math.min(from, whole.length);
  const end = Math.min(whole.length, start + max);
  // At least one byte, however short the part is.
  const to = Math.max(cutBack(whole, end), Math.min(end, start + 1));
  const total = isCut ? `more than ${mostBytes}` : `${whole.length}`;
  const isLast = to === whole.length;
  const where = `bytes ${start} to ${to} of ${total}`;
  const rest = isCut && isLast ? [`${where}: what is behind them is not read`] : [];
  const more = isLast ? [] : [`${where}; --from ${to} goes on`];
  return { bytes: whole.subarray(start, to), lines: [...rest, ...more], isWhole: !(isCut && isLast) };
}
