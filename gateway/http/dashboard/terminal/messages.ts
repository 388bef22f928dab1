/** What a page tells the terminal in its frame. Both are of one origin, and each looks at where a message is from. */
export type ToTerminal =
  /** Empties the screen. With a size it has that many columns and rows, else as many as fit. */
  | { readonly type: 'clear'; readonly size?: { readonly cols: number; readonly rows: number } }
  /** As the tool wrote it: the frame filters it. */
  | { readonly type: 'write'; readonly stream: 1 | 2; readonly text: string }
  /** Something was left out here; `text` is ours. */
  | { readonly type: 'gap'; readonly text: string };

export type FromTerminal =
  | { readonly type: 'ready' }
  /** A message is on the screen; so many control sequences were left out since it was cleared. */
  | { readonly type: 'written'; readonly left: number };

/** Of one message. */
export const longestText = 64 * 1024;
const largestSize = 500;

/** Undefined if it is no message of ours. */
export function readToTerminal(data: unknown): ToTerminal | undefined {
  if (!isObject(data)) return undefined;
  const { type, stream, text, size } = data;
  if (type === 'clear') return isSize(size) ? { type, size } : { type };
  if (!isText(text)) return undefined;
  if (type === 'gap') return { type, text };
  return type === 'write' && (stream === 1 || stream === 2) ? { type, stream, text } : undefined;
}

export function readFromTerminal(data: unknown): FromTerminal | undefined {
  if (!isObject(data)) return undefined;
  const { type, left } = data;
  if (type === 'ready') return { type };
  return type === 'written' && typeof left === 'number' ? { type, left } : undefined;
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

function isText(text: unknown): text is string {
  return typeof text === 'string' && text.length <= longestText;
}

function isSize(size: unknown): size is { cols: number; rows: number } {
  return isObject(size) && isCount(size['cols']) && isCount(size['rows']);
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largestSize;
}
