import { fold, nameOf } from './flag.ts';
import type { Option, ToolGrammar } from './tools/grammar.ts';

/** What a tool takes from words that stand where its options have ended. */
export interface LateWords {
  /** Each once. */
  readonly options: readonly Option[];
  /** A word that may be an option, or set some, and is not understood. */
  readonly doubt?: string;
}

/** Whether the tool looks for options among its operands at all: for most there is nothing to read. */
export function readsLate({ interpreter, setsOptions = [] }: ToolGrammar): boolean {
  return setsOptions.length > 0 || (interpreter?.anywhere.length ?? 0) > 0;
}

/** Also behind `--`, where some options are read too. */
export function readLate(grammar: ToolGrammar, operands: readonly string[]): LateWords {
  const { interpreter, setsOptions = [] } = grammar;
  const anywhere = interpreter?.anywhere ?? [];
  const options = new Map<string, Option>();
  for (const word of operands) {
    if (setsOptions.some((part) => word.includes(part))) return { options: [], doubt: word };
    const name = word.startsWith('-') ? fold(nameOf(word)) : '';
    if (!anywhere.some((start) => name.startsWith(start))) continue;
    const option = grammar.options.get(name) ?? (anywhere.includes(name) ? named(name) : undefined);
    if (option === undefined) return { options: [...options.values()], doubt: word };
    options.set(name, option);
  }
  return { options: [...options.values()] };
}

/** It is known only behind the operands. */
function named(name: string): Option {
  return { names: [name], value: 'optional', harmless: false };
}
