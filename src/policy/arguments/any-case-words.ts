import { settingTexts } from './setting.ts';

/** What was read so far. */
interface Read {
  readonly args: readonly string[];
  /** The position behind the last word. */
  readonly at: number;
  readonly pathAt: readonly number[];
  readonly isOption: Uint8Array;
  readonly anyCase: Map<number, readonly string[]>;
}

/** A value may stand in the word of its option, or in the next one. False: it is not understood. */
export function addAnyCase({ args, at, anyCase }: Read, word: number, text: string): boolean {
  const texts = settingTexts(text);
  if (texts === undefined) return false;
  const written = args[at - 1] ?? '';
  const start = at - 1 === word ? written.slice(0, written.length - text.length) : '';
  anyCase.set(at - 1, start === '' ? texts : texts.map((each) => start + each));
  return true;
}

/** A name stands behind the word that says what is done with it, or first. */
export function addOperands({ args, pathAt, isOption, anyCase }: Read): void {
  const first = isOption.indexOf(0, (pathAt.at(-1) ?? -1) + 1);
  for (const at of first === -1 ? [] : [first, isOption.indexOf(0, first + 1)])
    if (at !== -1) anyCase.set(at, settingTexts(args[at] ?? '') ?? []);
}
