import { escapeUnprintable } from './render-text.ts';

/**
 * Writes a program's own message to stderr, each line after `clawrden: <who>: `, as printable ASCII even if it
 * contains text of a peer, an engine or a file.
 */
export function say(who: string, text: string): void {
  const lines = text.split('\n').map((line) => `clawrden: ${who}: ${escapeUnprintable(line)}\n`);
  process.stderr.write(lines.join(''));
}
