import type { Argument, Command, Option } from 'commander';

export interface Candidate {
  readonly word: string;
  /** One line; may be empty. */
  readonly is: string;
}

/** What may stand in place of the last of `words`, which are those behind the name of `program`. */
export function wordsFor(program: Command, words: readonly string[]): readonly Candidate[] {
  const place = walk(program, words.slice(0, -1));
  const typed = words.at(-1) ?? '';
  return candidatesAt(place, typed).filter(({ word }) => word.startsWith(typed));
}

interface Place {
  readonly command: Command;
  /** The option that the last whole word is, if its value comes next. */
  readonly waiting?: Option | undefined;
  /** How many operands of the command are there. */
  readonly operands: number;
  /** Behind `--` nothing is an option. */
  readonly isPlain: boolean;
}

function walk(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, operands: 0, isPlain: false };
  for (const word of words) place = step(place, word);
  return place;
}

function step({ command, waiting, operands, isPlain }: Place, word: string): Place {
  if (waiting !== undefined) return { command, operands, isPlain };
  if (!isPlain && word === '--') return { command, operands, isPlain: true };
  if (!isPlain && word.startsWith('-'))
    return {
      command,
      operands,
      isPlain,
      waiting: word.includes('=') ? undefined : takesValue(command, word),
    };
  const inner = operands === 0 && !isPlain ? visible(command).find((one) => one.name() === word) : undefined;
  return inner === undefined
    ? { command, operands: operands + 1, isPlain }
    : { command: inner, operands: 0, isPlain: false };
}

function takesValue(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short, required }) => required && (word === long || word === short));
}

function candidatesAt({ command, waiting, operands, isPlain }: Place, typed: string): readonly Candidate[] {
  if (waiting !== undefined) return choicesOf(waiting);
  if (!isPlain && typed.startsWith('-')) return optionsOf(command);
  const inner = operands === 0 && !isPlain ? visible(command) : [];
  const argument = command.registeredArguments[operands];
  return [
    ...inner.map((one) => ({ word: one.name(), is: one.description() })),
    ...(argument === undefined ? [] : choicesOf(argument)),
  ];
}

function choicesOf({ argChoices, description }: Option | Argument): readonly Candidate[] {
  return (argChoices ?? []).map((word) => ({ word, is: description }));
}

function optionsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ word: long ?? short ?? '', is: description }));
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}
