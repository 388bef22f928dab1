const java = 'JAVA_TOOL_OPTIONS';

/**
 * Variables with those of the agent's way out, which replace others of their names. Of Java's options the given ones, or
 * the image's, stay before ours.
 */
export function withWayOut(
  given: readonly string[],
  image: readonly string[],
  wayOut: readonly string[],
): readonly string[] {
  const others = valueOf(java, given) ?? valueOf(java, image);
  const own = wayOut.map((entry) =>
    nameOf(entry) === java && others !== undefined
      ? `${java}=${others} ${entry.slice(java.length + 1)}`
      : entry,
  );
  const names = new Set(own.map(nameOf));
  return [...given.filter((entry) => !names.has(nameOf(entry))), ...own];
}

function nameOf(entry: string): string {
  return entry.replace(/=.*$/s, '');
}

function valueOf(name: string, entries: readonly string[]): string | undefined {
  return entries.findLast((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
}
