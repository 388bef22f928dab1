import { smallLetters } from '../small-letters.ts';
import { settingTexts, type Texts } from './setting.ts';
import { gitSwitch, switchWords } from './switch-words.ts';
import type { Modules, Option, SettingForm, ToolGrammar } from './tools/grammar.ts';
import { formedTexts } from './value-forms.ts';

/** What was read so far. */
interface Read {
  readonly grammar: ToolGrammar;
  readonly args: readonly string[];
  /** The position behind the last word. */
  readonly at: number;
  readonly pathAt: readonly number[];
  readonly isOption: Uint8Array;
  readonly anyCase: Map<number, readonly string[]>;
}

/** What a strict rule may read in the value of an option, if its tool reads it in any case; or nobody can be sure. */
export function valueTexts(grammar: ToolGrammar, option: Option, text: string): Texts {
  const read = readerOf(grammar, option);
  if (read === undefined) return 'as written';
  return text.length > longestValue ? 'not understood' : read(text);
}

/** Longer than any person writes: each is held against rules in a dozen forms. */
const longestValue = 2000;

function readerOf(grammar: ToolGrammar, option: Option): ((text: string) => Texts) | undefined {
  const { modules } = grammar;
  if (modules !== undefined && option.names.some((name) => modules.options.has(name)))
    return (text) => moduleTexts(modules, text);
  const form = option.names.map((name) => grammar.valueForms?.get(name)).find((one) => one !== undefined);
  if (form !== undefined) return (text) => formedTexts(form, text);
  if (!option.names.some((name) => grammar.anyCase?.has(name))) return undefined;
  const written = formOf(grammar, option);
  return (text) =>
    written !== undefined && !isPlainSetting(grammar, text)
      ? 'not understood'
      : (settingTexts(text, written) ?? 'not understood');
}

function isPlainSetting({ plainSettings }: ToolGrammar, text: string): boolean {
  if (plainSettings === undefined) return true;
  return plainSettings.has(plainNameOf(text)) || plainSettings.has(smallLetters(text));
}

/** Without the name of the address, branch or remote that it is for. With a second `=` the name may go on behind the first. */
function plainNameOf(text: string): string {
  const [, section = '', key = ''] =
    /^([a-z0-9-]+\.)(?:[^=]*\.)?([a-z0-9-]+)(?:=[^=]*)?$/.exec(smallLetters(text)) ?? [];
  return section + key;
}

/**
 * `pip.__main__` is `pip`, too: what runs is a part of it. So is `site-packages.pip`: a folder above is a package, if the
 * path of modules has one above that.
 */
function moduleTexts({ runOthers }: Modules, text: string): Texts {
  const parts = text.split('.', mostParts + 1);
  const isPlain = parts.length <= mostParts && parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part));
  if (!isPlain) return 'not understood';
  const from = (start: number) =>
    parts.slice(start).map((_, at) => parts.slice(start, start + at + 1).join('.'));
  const packages = parts.flatMap((_, start) => from(start).toReversed());
  const begins = parts.map((_, at) => at).filter((at) => at === 0 || parts.slice(0, at).some(isOfPath));
  if (begins.flatMap(from).some((name) => runOthers.has(name))) return 'not understood';
  return packages.map((name) => smallLetters(name));
}

const mostParts = 12;

/** No package has such a name: a folder in which packages lie. */
function isOfPath(part: string): boolean {
  return part.includes('-') || /^(?:lib(?:32|64)?|python[0-9]*)$/.test(smallLetters(part));
}

/** A sub-command may have a letter for something else: `git switch -c`. */
function formOf({ anyCase, options, settings }: ToolGrammar, { names }: Option): SettingForm | undefined {
  const isLong = names.some((name) => name.startsWith('--') && anyCase?.has(name) === true);
  const isOwn = names.some((name) => options.get(name)?.names.join() === names.join());
  return isLong || isOwn ? settings : undefined;
}

/** More than any person writes: to read each takes as long as a few hundred words. */
const mostSettings = 100;

/** A value may stand in the word of its option, or in the next one. False: it is not understood. */
export function addAnyCase(
  { grammar, args, at, anyCase }: Read,
  word: number,
  option: Option,
  text: string,
): boolean {
  const texts = valueTexts(grammar, option, text);
  if (typeof texts === 'string') return texts === 'as written';
  if (anyCase.size === mostSettings) return false;
  const written = args[at - 1] ?? '';
  const start = at - 1 === word ? written.slice(0, written.length - text.length) : '';
  anyCase.set(at - 1, start === '' ? texts : texts.map((each) => start + each));
  return true;
}

/** A name stands behind the word that says what is done with it, or first; its value stands behind it. */
export function addOperands({ grammar, args, pathAt, isOption, anyCase }: Read): void {
  let at = pathAt.at(-1) ?? -1;
  for (let count = 0; count < 3; count += 1) {
    at = isOption.indexOf(0, at + 1);
    if (at === -1) return;
    anyCase.set(at, operandTexts(args[at] ?? '', grammar.settings));
  }
}

function operandTexts(text: string, form: SettingForm | undefined): readonly string[] {
  const small = smallLetters(text);
  const value = form === 'git' ? gitSwitch(small) : small;
  const names = settingTexts(text, form) ?? [small];
  // pip takes `_` for `-` in a name.
  const dashed = small.replaceAll('_', '-');
  return [...new Set([...names, dashed, ...(switchWords(value) ?? [])])];
}
