/** What was read so far. */
interface Read {
  readonly args: readonly string[];
  readonly isOption: Uint8Array;
  readonly otherwise: Map<number, readonly string[]>;
}

/** More variables than any person sets; a line with more is not understood. */
const mostVariables = 100;

/** The same for their letters together: each is spelled a dozen times. */
const mostLetters = 16_000;

/** With each of them make sets a variable before it reads a makefile. */
const operators = ['=', ':=', '::=', ':::=', '?=', '+='];

/** A name, an operator and a value; blanks before each do not count. */
const assignment = /^[\t-\r ]*([^\s#$:?+!=]+)[\t-\r ]*(:{0,3}|\?|\+)=[\t-\r ]*(.*)$/s;

/**
 * An operand with `=` sets a variable, which patterns may leave out, and stands for the same by every operator.
 * Returns one that is not understood: in another form, one that adds to what another one says, one too many, or one
 * too long.
 */
export function addVariables({ args, isOption, otherwise }: Read, from: number): string | undefined {
  const names = new Set<string>();
  let count = 0;
  let letters = 0;
  for (let at = from; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (isOption[at] === 1 || !word.includes('=')) continue;
    count += 1;
    letters += word.length;
    if (count > mostVariables || letters > mostLetters) return word;
    const [, name, operator, value = ''] = assignment.exec(word) ?? [];
    if (name === undefined || (operator === '+' && names.has(name))) return word;
    names.add(name);
    isOption[at] = 1;
    otherwise.set(at, [word, ...spellingsOf(name, value.trimEnd())]);
  }
  return undefined;
}

function spellingsOf(name: string, value: string): readonly string[] {
  return operators.flatMap((operator) => [`${name}${operator}${value}`, `${name} ${operator} ${value}`]);
}
