import { isFlag } from '../arguments/flag.ts';

/** An item of `args` that names an option: for a strict rule it holds wherever the tool takes that option. */
export interface OptionItem {
  readonly place: number;
  /** Its alternatives that begin with a dash. */
  readonly words: readonly string[];
  /** The next item, if that may be the value of the option. */
  readonly next?: string;
  /** Behind a word: there it is an option of the sub-command, and not one of the tool with the same name. */
  readonly isBehindWord: boolean;
  /** Only for a tool that reads its first word as options, without their dash. */
  readonly isBare: boolean;
}

/** `items` without two `**` in a row. */
export function optionItemsOf(items: readonly string[]): readonly OptionItem[] {
  return items.flatMap((item, place) => {
    const alternatives = item.split('|');
    const next = items[place + 1];
    const mayFollow = next !== undefined && next !== '**' && !namesOption(next);
    const shared = {
      place,
      ...(mayFollow ? { next } : {}),
      isBehindWord: items.some((_, before) => before < place && isWord(items, before)),
    };
    const words = alternatives.filter(isFlag);
    const bare = place > 0 || item === '**' ? [] : alternatives.filter(isBareWord).map((word) => `-${word}`);
    return [
      ...(words.length === 0 ? [] : [{ ...shared, words, isBare: false }]),
      ...(bare.length === 0 ? [] : [{ ...shared, words: bare, isBare: true }]),
    ];
  });
}

export function namesOption(item: string): boolean {
  return item.split('|').some(isFlag);
}

/** Letters, and perhaps a `*` behind them. */
function isBareWord(word: string): boolean {
  return /^[A-Za-z]+\*?$/.test(word);
}

/** Surely neither an option nor the value of one. */
function isWord(items: readonly string[], at: number): boolean {
  const item = items[at] ?? '';
  return !item.includes('*') && !namesOption(item) && (at === 0 || !namesOption(items[at - 1] ?? ''));
}

/** The items with which the words of a line may begin once its options are left out. */
export function firstItemsOf(items: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (at: number): void => {
    if (at >= items.length || found.has(at)) return;
    found.add(at);
    if (!namesOption(items[at] ?? '')) return;
    visit(at + 1);
    visit(at + 2);
  };
  visit(0);
  return found;
}
