import type { Resources } from './tools/grammar.ts';

type Words = readonly string[];

/** Each kind of resource that a line names, with the names of those that it names by `type/name`. */
export type NamedResources = ReadonlyMap<string, Words>;

/** More kinds and names than any person writes; a line with more is not understood. */
const most = 100;

/**
 * The resources in the operands of kubectl: `pods`, `pods,secrets`, `deployments.v1.apps`, `pod/x secret/y`, in capitals
 * or not. Absent: there are too many.
 */
export function resourcesIn(operands: Words, { categories }: Resources): NamedResources | undefined {
  const [first = ''] = operands;
  const typed = first.includes('/') ? operands : [first];
  if (typed.length > most) return undefined;
  const found = new Map<string, string[]>();
  for (const word of typed) {
    const [types = '', name = ''] = word.split('/');
    for (const kind of kindsIn(types, categories))
      found.set(kind, [...(found.get(kind) ?? []), ...(name === '' ? [] : [name])]);
    if (found.size > most) return undefined;
  }
  return found;
}

/** A category stands for its kinds, and for itself. */
function kindsIn(types: string, categories: Resources['categories']): Words {
  const kinds = new Set(types.split(',', most + 2).map((type) => type.split('.', 1).join('').toLowerCase()));
  kinds.delete('');
  return [...kinds].flatMap((kind) => [kind, ...(categories.get(kind) ?? [])]);
}

/** By all the names of the kind. */
export function spellingsOfKind(kind: string, { names }: Resources): Words {
  return names.get(kind) ?? [kind];
}
