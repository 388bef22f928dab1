/** An option with one dash instead of two, and the reverse, for tools that do not count dashes. */
export function byAnyDash(name: string): readonly string[] {
  if (name.length === 2) return [name];
  return [name, name.startsWith('--') ? name.slice(1) : `-${name}`];
}
