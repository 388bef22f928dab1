import { type Logger, pino } from 'pino';
import { escapeJsonLine } from './text/ascii-json.ts';

/**
 * JSON lines on stderr, in ASCII whatever a peer, an engine or an agent wrote; nothing is lost at exit. One line per
 * transition, with the execution's id where there is one.
 */
export function createLog(program: string): Logger {
  const level = process.env.CLAWRDEN_LOG_LEVEL ?? 'info';
  const stderr = pino.destination({ dest: 2, sync: true });
  const ascii = { write: (line: string) => void stderr.write(`${escapeJsonLine(line.trimEnd())}\n`) };
  return pino({ name: program, level, base: { name: program } }, ascii);
}
