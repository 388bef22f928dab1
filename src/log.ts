import { type Logger, pino } from 'pino';
import { LogLines } from './log-lines.ts';
import { openStderr } from './patient-stderr.ts';
import { escapeJsonLine } from './text/ascii-json.ts';

/**
 * JSON lines on stderr, in ASCII whatever a peer, an engine or an agent wrote. One line per transition, with the
 * execution's id if there is one. A reader that stalls and a disk that is full cost lines and hold up nothing.
 */
export function createLog(program: string): Logger {
  const level = process.env.CLAWRDEN_LOG_LEVEL ?? 'info';
  const lines = new LogLines(openStderr(), (dropped) =>
    log.warn({ dropped }, 'lines of this log were lost: nobody read it, or there was no room'),
  );
  const ascii = { write: (line: string) => lines.write(`${escapeJsonLine(line.trimEnd())}\n`) };
  const log = pino({ name: program, level, base: { name: program } }, ascii);
  process.on('exit', () => lines.end());
  // Node writes them itself otherwise, and waits for the reader.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => log.warn({ name }, message));
  return log;
}
