/** Ends the command with exit status 1 and the line `clawrden: <what>: <why>; <what to do>`. */
export class CliError extends Error {
  override name = 'CliError';

  constructor(what: string, why: string, toDo: string) {
    super(`clawrden: ${what}: ${why}; ${toDo}`);
  }
}
