import type { Words } from './grammar.ts';
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
    ...(reader === undefined ? [] : [readBy[reader]]),
  ];
  return checks.length === 0 ? undefined : (words) => checks.every((check) => check(words));
}

function isGiven(names: readonly string[], { given }: Words): boolean {
  return given.some((option) => option.names.some((name) => names.includes(name)));
}

function refuses(refusal: RefusalData, words: Words): boolean {
  const { subcommands, missing } = refusal;
  if (subcommands !== undefined && !subcommands.includes(words.subcommand?.name ?? '')) return false;
  const texts = textsOf(refusal, words);
  return (missing === true && texts.length === 0) || texts.some((text) => isRefused(refusal, text));
}

function textsOf({ of }: RefusalData, { operands, values }: Words): readonly string[] {
  if (of === 'operands') return operands;
  if (of === 'first-operand') return operands.slice(0, 1);
  return values
    .filter(({ option }) => option.names.some((name) => of.includes(name)))
    .map(({ text }) => text);
}

function isRefused({ containing = [], beginning = [], equal = [] }: RefusalData, text: string): boolean {
  return (
    containing.some((part) => text.includes(part)) ||
    beginning.some((start) => text.startsWith(start)) ||
    equal.includes(text)
  );
}

const readBy: Readonly<Record<Reader, Check>> = {
  'sed-script': (words) => sedScripts(words).every(isPlainScript),
  'archive-name': areLocalArchives,
};

function sedScripts({ operands, values }: Words): readonly string[] {
  const given = values.filter(({ option }) => option.names.includes('-e')).map(({ text }) => text);
  return given.length > 0 ? given : operands.slice(0, 1);
}

/** A colon in an archive's name means another host, over rsh, unless a slash comes before it. */
function areLocalArchives({ values }: Words): boolean {
  return values.every(({ option, text }) => {
    const colon = option.names.includes('-f') ? text.indexOf(':') : -1;
    return colon === -1 || (text.includes('/') && text.indexOf('/') < colon);
  });
}
