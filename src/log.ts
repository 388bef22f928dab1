import { type Logger, pino } from 'pino';
import { escapeJsonLine } from './text/ascii-json.ts';

/** Characters that wait for a disk with room; more are dropped. */
const maxUnwritten = 1024 * 1024;

/**
 * JSON lines on stderr, in ASCII whatever a peer, an engine or an agent wrote; nothing is lost at exit while stderr takes it. One line per
 * transition, with the execution's id where there is one.
 */
export function createLog(program: string): Logger {
  const level = process.env.CLAWRDEN_LOG_LEVEL ?? 'info';
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: maxUnwritten });
  // A log on a full disk loses lines; it ends no program.
  stderr.on('error', () => {});
  const ascii = { write: (line: string) => void stderr.write(`${escapeJsonLine(line.trimEnd())}\n`) };
  return pino({ name: program, level, base: { name: program } }, ascii);
}
