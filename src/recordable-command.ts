import { createHash } from 'node:crypto';
import { firstBytes } from './text/first-bytes.ts';

/** What a record or a list keeps of a command that a caller chose every byte of. */
export interface RecordableCommand {
  /** The first words; the last of them may be cut. All of them where `cut` is absent. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Absent where nothing was left out. */
  readonly cut?: CutCommand;
}

/** The whole of a command that was cut. */
export interface CutCommand {
  /** Of argv and cwd in UTF-8, each with one byte behind it. */
  readonly bytes: number;
  /** How many words argv has. */
  readonly words: number;
  /** SHA-256 over argv and cwd, each with a NUL behind it, in hex. */
  readonly sha256: string;
}

/** Of argv and of cwd each, in UTF-8 and with one byte for each word. */
export const recordableBytes = 4096;

/** Bounded whatever the command is; takes time in proportion to it. */
export function recordable(argv: readonly string[], cwd: string): RecordableCommand {
  const bytes = [...argv, cwd].reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  const shown = firstWords(argv);
  const shownCwd = firstBytes(cwd, recordableBytes);
  const isWhole = shownCwd === cwd && shown.length === argv.length && shown.at(-1) === argv.at(-1);
  if (isWhole) return { argv, cwd };
  return { argv: shown, cwd: shownCwd, cut: { bytes, words: argv.length, sha256: digest(argv, cwd) } };
}

/** Of the whole command, however much of it was kept. */
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
