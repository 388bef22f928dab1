import { smallLetters } from '../small-letters.ts';
import type { Resources } from './tools/grammar.ts';

type Words = readonly string[];

/** The resources that a line names. */
export interface NamedResources {
  /** How many operands name them; behind these stand labels, images and the like. */
  readonly operands: number;
  /** Each kind, with the names of those that are written `type/name`; some of a word that may be a label count, too. */
  readonly kinds: ReadonlyMap<string, Words>;
}

/** More kinds and names than any person writes; a line with more is not understood. */
const most = 100;

/** The same for their letters together: each name stands for itself behind each spelling of its kinds. */
const mostLetters = 4000;

/**
 * The resources in the operands of kubectl: `pods`, `pods,secrets`, `deployments.v1.apps`, `pod/x secret/y`, in capitals
 * or not. Absent: there are too many.
 */
export function resourcesIn(operands: Words, { categories }: Resources): NamedResources | undefined {
  const some = operands.slice(0, most + 1);
  const end = some.findIndex((word) => !isTypeAndName(word));
  const typed = some.slice(0, Math.max(1, end === -1 ? some.length : end));
  if (typed.length > most || operands.slice(most).some(hasSlash)) return undefined;
  const kinds = new Map<string, string[]>();
  let letters = 0;
  // Of a label (`a.b/c=d`) nothing is sure: where no labels are read it is a resource, and so is what follows it.
  for (const word of [...typed, ...some.slice(typed.length).filter(hasSlash)]) {
    const [types = '', name = ''] = word.split('/', 2);
    letters += types.length + name.length;
    if (letters > mostLetters) return undefined;
    for (const kind of kindsIn(types, categories))
      kinds.set(kind, [...(kinds.get(kind) ?? []), ...(name === '' ? [] : [name])]);
    if (kinds.size > most) return undefined;
  }
  return { operands: typed.length, kinds };
}

/** `pod/x`; not `a.b/label=x` and `a.b/label-`. */
function isTypeAndName(word: string): boolean {
  return hasSlash(word) && !word.includes('=') && !word.endsWith('-');
}

function hasSlash(word: string): boolean {
  return word.includes('/');
}

/** A category stands for its kinds, and for itself. Of a kind that is repeated a hundred times the next one counts, too. */
function kindsIn(types: string, categories: Resources['categories']): Words {
  const kinds = new Set(types.split(',').map((type) => smallLetters(type.split('.', 1).join(''))));
  kinds.delete('');
  return [...kinds].flatMap((kind) => [kind, ...(categories.get(kind) ?? [])]);
}

/** By all the names of the kind. */
export function spellingsOfKind(kind: string, { names }: Resources): Words {
  return names.get(kind) ?? [kind];
}
