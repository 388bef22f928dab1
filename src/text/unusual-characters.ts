const kinds = [
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u, 'turns the direction'],
  [/\p{Cc}/u, 'controls a terminal'],
  [/[\p{DI}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\u2800]/u, 'is invisible'],
  [/\P{ASCII}/u, 'may look like another one'],
] as const;

export type CharacterKind = (typeof kinds)[number][1];

/** What is unusual about a character; undefined for printable ASCII. */
export function kindOfCharacter(character: string): CharacterKind | undefined {
  if (/[\x20-\x7e]/.test(character)) return undefined;
  return kinds.find(([form]) => form.test(character))?.[1];
}

/** Every kind of unusual character in a text, each once, the worst first. */
export function unusualCharacters(text: string): CharacterKind[] {
  const usual = /^[\x20-\x7e]*$/.test(text);
  if (usual) return [];
  const found = new Set(Array.from(text, kindOfCharacter));
  return kinds.flatMap(([, kind]) => (found.has(kind) ? [kind] : []));
}
