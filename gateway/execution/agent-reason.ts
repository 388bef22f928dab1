const variable = 'CLAWRDEN_REASON=';
const most = 500;

/** What an agent says that its command is for: its word, which is no part of the plan. Empty if it says nothing. */
export function reasonIn(env: readonly string[]): string {
  const value = env.find((entry) => entry.startsWith(variable))?.slice(variable.length) ?? '';
  return Array.from(value.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}
