import { openStderr } from '../patient-stderr.ts';
import { escapeUnprintable } from './render-text.ts';

/** A reader that has stalled holds up no end of a program. */
const waitMs = 500;

/**
 * Writes a program's own message to stderr, each line after `clawrden: <who>: `, as printable ASCII even if it
 * contains text of a peer, an engine or a file.
 */
export function say(who: string, text: string): void {
  const lines = text.split('\n').map((line) => `clawrden: ${who}: ${escapeUnprintable(line)}\n`);
  using stderr = openStderr();
  stderr.takeWithin(Buffer.from(lines.join('')), waitMs);
}
