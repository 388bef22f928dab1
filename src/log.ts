import { type Logger, pino } from 'pino';
import { escapeJsonLine } from './text/ascii-json.ts';

/** Characters that wait while the disk is full; more are dropped. */
const maxUnwritten = 1024 * 1024;

/**
 * JSON lines on stderr, in ASCII even if they contain text of a peer, an engine or an agent. No line is lost at exit
 * while stderr accepts output. One line for each transition, with the execution's id if there is one.
 */
export function createLog(program: string): Logger {
  const level = process.env.CLAWRDEN_LOG_LEVEL ?? 'info';
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: maxUnwritten });
  // If the disk is full, the log loses lines; the program continues.
  stderr.on('error', () => {});
  const ascii = { write: (line: string) => void stderr.write(`${escapeJsonLine(line.trimEnd())}\n`) };
  return pino({ name: program, level, base: { name: program } }, ascii);
}
