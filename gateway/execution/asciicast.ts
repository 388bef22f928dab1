import type { NextPiece } from '../../src/next-piece.ts';
import type { KeptRecording } from '../ports/recording.ts';
import { entriesOf } from './recording-entries.ts';

const defaultSize = { cols: 80, rows: 24 };

/** In one piece: a tool that writes single bytes makes thousands of entries of a part. */
const atOnce = { entries: 500, characters: 32 * 1024 };

/** A recording as the lines of an asciicast v2, each with its newline: some of them for each piece. */
export async function* asciicastOf(
  { begunAt, terminal, parts }: KeptRecording,
  startedAt: number,
  nextPiece: NextPiece,
): AsyncGenerator<string, void> {
  const { cols: width, rows: height } = terminal ?? defaultSize;
  await nextPiece();
  let lines = line({ version: 2, width, height, timestamp: Math.floor(startedAt / 1000) });
  let entries = 0;
  const text = createScreenText(terminal !== undefined);
  let seconds = 0;
  const at = (ms: number) => {
    seconds = Math.max(seconds, (begunAt + ms - startedAt) / 1000);
    return Math.round(seconds * 1000) / 1000;
  };
  const event = (kind: 'o' | 'm', data: string) => (data === '' ? '' : line([at(0), kind, data]));
  for await (const part of parts()) {
    for (const entry of entriesOf(part)) {
      at(entry.ms);
      if ('bytes' in entry) lines += event('o', text.of(entry.fd, entry.bytes));
      else lines += event('o', text.rest()) + event('m', `${entry.dropped} bytes were not kept`);
      entries += 1;
      if (entries < atOnce.entries && lines.length < atOnce.characters) continue;
      yield lines;
      [lines, entries] = ['', 0];
      await nextPiece();
    }
  }
  lines += event('o', text.rest());
  if (lines !== '') yield lines;
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Bytes as what a terminal is given: both streams are one there, and what is no UTF-8 is U+FFFD. */
function createScreenText(isTerminal: boolean) {
  const decoders = { 1: new TextDecoder(), 2: new TextDecoder() };
  let last = '';
  /** A terminal's driver has done that already. */
  const withReturns = (text: string): string => {
    if (isTerminal || text === '') return text;
    const begin = last === '\r' && text.startsWith('\n') ? '\n' : '';
    last = text.at(-1) ?? '';
    return begin + text.slice(begin.length).replaceAll(/(?<!\r)\n/g, '\r\n');
  };
  return {
    of: (fd: 1 | 2, bytes: Uint8Array) => withReturns(decoders[fd].decode(bytes, { stream: true })),
    /** Of characters that were cut. */
    rest: () => withReturns(decoders[1].decode() + decoders[2].decode()),
  };
}
