/** No principal's name has it. */
const between = ', ';

/** The people who approved something, as one text. */
export function joinNames(names: readonly string[]): string {
  return names.join(between);
}

export function namesIn(text: string): string[] {
  return text.split(between);
}
