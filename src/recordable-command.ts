import { createHash } from 'node:crypto';
import { firstBytes } from './text/first-bytes.ts';

/** The part of a command that a record or a list keeps. The caller chose every byte of the command. */
export interface RecordableCommand {
  /** The first words; the last of them may be cut. All words if `cut` is absent. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Absent if nothing was left out. */
  readonly cut?: CutCommand;
}

/** The size and digest of a command that was cut. */
export interface CutCommand {
  /** Bytes of argv and cwd in UTF-8, plus one for each. */
  readonly bytes: number;
  /** How many words argv has. */
  readonly words: number;
  /** SHA-256 of argv and cwd, each followed by a NUL, in hex. */
  readonly sha256: string;
}

/** Limit for argv and for cwd, in bytes of UTF-8 plus one for each word. */
export const recordableBytes = 4096;

/** The result is bounded for every command. Takes time in proportion to the command. */
export function recordable(argv: readonly string[], cwd: string): RecordableCommand {
  const bytes = [...argv, cwd].reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  const shown = firstWords(argv);
  const shownCwd = firstBytes(cwd, recordableBytes);
  const isWhole = shownCwd === cwd && shown.length === argv.length && shown.at(-1) === argv.at(-1);
  if (isWhole) return { argv, cwd };
  return { argv: shown, cwd: shownCwd, cut: { bytes, words: argv.length, sha256: digest(argv, cwd) } };
}

/** Covers the whole command, however little of it was kept. */
export function digestOf({ argv, cwd, cut }: RecordableCommand): string {
  return cut?.sha256 ?? digest(argv, cwd);
}

function firstWords(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  let left = recordableBytes;
  for (const word of argv) {
    if (left <= 1) break;
    words.push(firstBytes(word, left - 1));
    left -= Buffer.byteLength(word) + 1;
  }
  return words;
}

function digest(argv: readonly string[], cwd: string): string {
  return createHash('sha256')
    .update(`${[...argv, cwd].join('\0')}\0`)
    .digest('hex');
}
