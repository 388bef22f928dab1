import { isDeepStrictEqual } from 'node:util';

interface Named {
  readonly name: string;
}

/** `hosts added a, removed b, changed c`; empty if they are the same. */
export function changesOf(what: string, before: readonly Named[], after: readonly Named[]): string {
  const [old, now] = [byName(before), byName(after)];
  const changes = [
    ['added', [...now.keys()].filter((name) => !old.has(name))],
    ['removed', [...old.keys()].filter((name) => !now.has(name))],
    ['changed', [...now.keys()].filter((name) => isOther(old.get(name), now.get(name)))],
  ] as const;
  const said = changes.filter(([, names]) => names.length > 0);
  return said.length === 0
    ? ''
    : `${what} ${said.map(([how, names]) => `${how} ${names.join(', ')}`).join(', ')}`;
}

export function byName<Item extends Named>(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [item.name, item]));
}

function isOther(old: Named | undefined, now: Named | undefined): boolean {
  return old !== undefined && !isDeepStrictEqual(old, now);
}
