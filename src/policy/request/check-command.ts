import { areSignals, type Command } from '../../command.ts';
import { ClawrdenError } from '../../errors.ts';

/** Bytes as the kernel counts them: UTF-8 with a NUL at the end. */
export const commandLimits = {
  argsBytes: 1024 * 1024,
  args: 32_768,
  envBytes: 1024 * 1024,
  envEntries: 1000,
  /** One argument or one variable; the kernel accepts no more. */
  textBytes: 128 * 1024,
  cwdBytes: 4096,
} as const;

/** Why no tool may start with `command`, whatever the policy says. Never repeats its content. */
export function checkCommand(command: Command): ClawrdenError | undefined {
  const { tool, args, cwd, env } = command;
  if (args.length > commandLimits.args) return tooLarge(`more than ${commandLimits.args} arguments`);
  if (env.length > commandLimits.envEntries)
    return tooLarge(`more than ${commandLimits.envEntries} variables`);
  return (
    checkTexts([tool], 'the tool', commandLimits.textBytes) ??
    checkTexts([cwd], 'the working directory', commandLimits.cwdBytes) ??
    checkTexts(args, 'the arguments', commandLimits.argsBytes) ??
    checkTexts(env, 'the environment', commandLimits.envBytes) ??
    checkVariableNames(env) ??
    checkNumbers(command)
  );
}

function checkTexts(texts: readonly string[], what: string, most: number): ClawrdenError | undefined {
  let total = 0;
  for (const text of texts) {
    if (text.includes('\0')) return invalid(`${what}: a NUL byte`);
    if (!text.isWellFormed()) return invalid(`${what}: not valid Unicode`);
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > commandLimits.textBytes)
      return tooLarge(`${what}: one of more than ${commandLimits.textBytes} bytes`);
    total += bytes;
  }
  return total > most ? tooLarge(`${what}: more than ${most} bytes`) : undefined;
}

function checkVariableNames(env: readonly string[]): ClawrdenError | undefined {
  for (const entry of env) {
    const equals = entry.indexOf('=');
    if (equals < 1) return invalid('the environment: an entry that is not NAME=value');
    const newline = entry.indexOf('\n');
    if (newline !== -1 && newline < equals) return invalid('the environment: a name with a line break');
  }
  return undefined;
}

function checkNumbers({ umask, ignored, blocked = [], terminal }: Command): ClawrdenError | undefined {
  if (!isWithin(umask, 0, 0o777)) return invalid('the umask: out of range');
  if (!areSignals(ignored)) return invalid('the ignored signals: out of range');
  if (!areSignals(blocked)) return invalid('the blocked signals: out of range');
  if (terminal !== undefined && !(isWithin(terminal.cols, 0, 65_535) && isWithin(terminal.rows, 0, 65_535))) {
    return invalid("the terminal's size: out of range");
  }
  return undefined;
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function invalid(what: string): ClawrdenError {
  return new ClawrdenError('request-invalid', `the command cannot be run: ${what}`);
}

function tooLarge(what: string): ClawrdenError {
  return new ClawrdenError('too-large', `the command cannot be run: ${what}`);
}
