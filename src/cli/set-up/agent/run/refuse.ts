import { CliError } from '../../../reach/cli-error.ts';

const what = 'agent run';

export function refuse(why: string, toDo: string, command = what): CliError {
  return new CliError(command, why, toDo);
}

/** Throws a line that begins with the option. */
export function checked<T>(option: string, value: T | undefined, wanted: string): T {
  if (value === undefined) throw refuse(`${option} ${wanted}`, 'see clawrden agent run --help');
  return value;
}
