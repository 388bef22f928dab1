import { CliError } from '../../reach/cli-error.ts';

/** The names of `--locked`. Throws a line about the command `what` if one is no program's. */
export function lockedNames(text: string | undefined, what: string): readonly string[] {
  const names = (text ?? '').split(',').filter((name) => name !== '');
  const wrong = names.find((name) => !/^[^/\0]{1,255}$/.test(name));
  if (wrong === undefined) return names;
  throw new CliError(what, `--locked takes names of programs, not ${wrong}`, 'write npm,docker');
}
