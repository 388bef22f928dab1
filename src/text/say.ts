import { escapeUnprintable } from './render-text.ts';

/**
 * What a program says itself on stderr, each line behind `clawrden: <who>: `: printable ASCII, whatever a peer, an engine
 * or a file wrote.
 */
export function say(who: string, text: string): void {
  const lines = text.split('\n').map((line) => `clawrden: ${who}: ${escapeUnprintable(line)}\n`);
  process.stderr.write(lines.join(''));
}
