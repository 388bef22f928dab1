import { renderArgv } from './render-text.ts';

interface CommandStart {
  readonly argv: readonly string[];
  /** Absent if nothing is left out. */
  readonly cut?: { readonly words: bigint | number; readonly bytes: bigint | number } | undefined;
}

/** A command on one line, and whether that is only its beginning. */
export function commandText({ argv, cut }: CommandStart): string {
  const rest = cut === undefined ? '' : ` (the beginning of ${cut.words} words, ${cut.bytes} bytes)`;
  return `${renderArgv(argv)}${rest}`;
}
