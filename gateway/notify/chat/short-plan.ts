import type { Plan } from '../../../src/plan.ts';

/** The beginning of a text or a plan, and how many characters of it are not there. */
export interface Beginning<T> {
  readonly shown: T;
  readonly left: number;
}

/**
 * As much of a plan as a message of so many characters can have: to make a megabyte readable takes a second. What is
 * written in the message is at least as long as the words, so if some are left out, the message is full before.
 */
export function shortPlan(plan: Plan, most: number): Beginning<Plan> {
  const argv = firstWords(plan.argv, most);
  if (argv.left === 0) {
    const env = firstWords(plan.env, most);
    return { shown: { ...plan, env: env.shown }, left: env.left };
  }
  const noFiles = plan.operands === undefined ? { scripts: [] } : { operands: [] };
  return { shown: { ...plan, argv: argv.shown, env: [], ...noFiles }, left: argv.left };
}

/** Up to one character more than `most`. */
export function firstWords(words: readonly string[], most: number): Beginning<readonly string[]> {
  const shown: string[] = [];
  let room = most + 1;
  for (let at = 0; at < words.length && room > 0; at += 1) {
    const word = (words[at] ?? '').slice(0, room);
    shown.push(word);
    // An empty word takes room, too.
    room -= word.length + 1;
  }
  return { shown, left: lengthOf(words) - lengthOf(shown) };
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length + 1, 0);
}
