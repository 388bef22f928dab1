import type { Option, OptionValue, Words } from './grammar.ts';
import { isPlainScript } from './sed-script.ts';
import type { RefusalData, readers, ToolData } from './tool-data.ts';

type Check = (words: Words) => boolean;

type Reader = (typeof readers)[number];

/** Whether the operands, and the values of options, run and write nothing; absent if they never do. */
export function checkOf({ operands, prints, refuse = [], reader }: ToolData): Check | undefined {
  const checks: Check[] = [
    ...(operands === 'risky' ? [(words: Words) => words.operands.length === 0] : []),
    ...(prints === undefined ? [] : [(words: Words) => isGiven(prints, words)]),
    ...refuse.map((one) => (words: Words) => !refuses(one, words)),
    ...(reader === undefined ? [] : [readBy(reader)]),
  ];
  return checks.length === 0 ? undefined : (words) => checks.every((check) => check(words));
}

/** Options whose value there runs or writes something; `undefined` stands for an operand that does. */
export type RiskyValues = (words: Words) => ReadonlySet<Option | undefined>;

/** Absent if no value of this tool does. */
export function riskyValuesOf({ refuse = [], reader }: ToolData): RiskyValues | undefined {
  const ofOptions = refuse.filter(({ of }) => Array.isArray(of));
  if (ofOptions.length === 0 && reader === undefined) return undefined;
  return (words) => {
    const isRisky = (one: RefusalData) =>
      words.values.filter((value) => isAbout(one, value, words) && isRefused(one, value.text));
    const found = ofOptions.flatMap(isRisky).map(({ option }) => option);
    return new Set([...found, ...(reader === undefined ? [] : riskyBy[reader](words))]);
  };
}

function isGiven(names: readonly string[], { given }: Words): boolean {
  return given.some((option) => option.names.some((name) => names.includes(name)));
}

function refuses(refusal: RefusalData, words: Words): boolean {
  const { missing } = refusal;
  if (!isOfSubcommand(refusal, words)) return false;
  const texts = textsOf(refusal, words);
  return (missing === true && texts.length === 0) || texts.some((text) => isRefused(refusal, text));
}

function isOfSubcommand({ subcommands }: RefusalData, { subcommand }: Words): boolean {
  return subcommands === undefined || subcommands.includes(subcommand?.name ?? '');
}

function isAbout(refusal: RefusalData, { option }: OptionValue, words: Words): boolean {
  return isOfSubcommand(refusal, words) && option.names.some((name) => refusal.of.includes(name));
}

function textsOf(refusal: RefusalData, words: Words): readonly string[] {
  const { operands, values } = words;
  if (refusal.of === 'operands') return operands;
  if (refusal.of === 'first-operand') return operands.slice(0, 1);
  return values.filter((value) => isAbout(refusal, value, words)).map(({ text }) => text);
}

function isRefused({ containing = [], beginning = [], equal = [] }: RefusalData, text: string): boolean {
  return (
    containing.some((part) => text.includes(part)) ||
    beginning.some((start) => text.startsWith(start)) ||
    equal.includes(text)
  );
}

const riskyBy: Readonly<Record<Reader, (words: Words) => readonly (Option | undefined)[]>> = {
  'sed-script': (words) =>
    sedScripts(words)
      .filter(({ text }) => !isPlainScript(text))
      .map(({ option }) => option),
  'archive-name': ({ values }) => values.filter(isElsewhere).map(({ option }) => option),
};

const readBy = (reader: Reader) => (words: Words) => riskyBy[reader](words).length === 0;

function sedScripts({ operands, values }: Words): readonly { text: string; option?: Option }[] {
  const given = values.filter(({ option }) => option.names.includes('-e'));
  return given.length > 0 ? given : operands.slice(0, 1).map((text) => ({ text }));
}

/** A colon in an archive's name means another host, over rsh, unless a slash comes before it. */
function isElsewhere({ option, text }: OptionValue): boolean {
  const colon = option.names.includes('-f') ? text.indexOf(':') : -1;
  return colon !== -1 && !(text.includes('/') && text.indexOf('/') < colon);
}
