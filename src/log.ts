import { type Logger, pino } from 'pino';

/** JSON lines on stderr; nothing is lost at exit. One line per transition, with the execution's id where there is one. */
export function createLog(program: string): Logger {
  const level = process.env.CLAWRDEN_LOG_LEVEL ?? 'info';
  return pino({ name: program, level, base: { name: program } }, pino.destination({ dest: 2, sync: true }));
}
