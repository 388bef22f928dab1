import type { ReadStream, WriteStream } from 'node:tty';
import type { Row } from '../../print/cells.ts';
import { colored } from '../../print/output.ts';

/** The terminal while a program uses all of it. */
export interface FullScreen {
  readonly draw: (rows: readonly Row[]) => void;
  readonly bell: () => void;
  /** Restores the terminal; may be called more than once. */
  readonly leave: () => void;
  /** Takes the terminal again and draws everything again. */
  readonly enter: () => void;
}

// Second screen, no cursor, and marks around pasted text.
const entering = '\x1b[?1049h\x1b[?25l\x1b[?2004h';
const leaving = '\x1b[?2004l\x1b[?25h\x1b[?1049l';
// A terminal that supports it shows everything between the two at once.
const [frameBegins, frameEnds] = ['\x1b[?2026h', '\x1b[?2026l'];

/** Takes the terminal until `leave`. When the process ends, it is restored too, except after SIGKILL. */
export function openFullScreen(input: ReadStream, output: WriteStream): FullScreen {
  let entered = false;
  let shown = '';
  const leave = () => {
    if (!entered) return;
    entered = false;
    input.setRawMode(false);
    output.write(leaving);
  };
  const enter = () => {
    entered = true;
    shown = '';
    input.setRawMode(true);
    output.write(entering);
  };
  process.on('exit', leave);
  enter();
  return {
    enter,
    leave,
    bell: () => void output.write('\x07'),
    draw: (rows) => {
      const text = rows.map((row) => `\x1b[K${row.map(colored).join('')}`).join('\r\n');
      if (!entered || text === shown) return;
      shown = text;
      output.write(`${frameBegins}\x1b[H${text}\x1b[J${frameEnds}`);
    },
  };
}
