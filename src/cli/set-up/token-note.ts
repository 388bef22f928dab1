import type { ApiToken } from '../../gen/clawrden/v1/warden.ts';

const dayMs = 86_400_000;
const soonDays = 7;
const longDays = 90;

/** What somebody should know of an API token: it has ended, it ends soon, or nobody uses it. */
export function tokenNote(
  { expiresAt, usedAt, setAt }: Pick<ApiToken, 'expiresAt' | 'usedAt' | 'setAt'>,
  now: number,
): string {
  const left = expiresAt === '' ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left <= 0) return 'has ended';
  if (left < soonDays * dayMs) return `ends within ${soonDays} days`;
  const unused = now - Date.parse(usedAt || setAt);
  return unused > longDays * dayMs ? `not used for ${longDays} days` : '';
}
