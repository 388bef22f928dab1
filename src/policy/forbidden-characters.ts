import type { ToolDefinition } from './policy.ts';

/** Whether an argument has a character that the tool forbids. Takes time in proportion to the arguments. */
export function hasForbidden({ forbidden }: ToolDefinition, args: readonly string[]): boolean {
  if (forbidden === '') return false;
  const escaped = Array.from(forbidden, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  const anyOfThem = new RegExp(`[${escaped.join('')}]`, 'u');
  return args.some((arg) => anyOfThem.test(arg));
}
