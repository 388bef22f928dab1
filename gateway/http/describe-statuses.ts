import type { ErrorCode } from '../../src/errors.ts';
import { httpStatuses } from './problem.ts';

/** The table of `docs/http.md`: the reason codes of each status. */
export function describeStatuses(): string {
  const codes = Object.keys(httpStatuses) as ErrorCode[];
  const statuses = [...new Set(Object.values(httpStatuses))].sort((a, b) => a - b);
  const rows = statuses.map((status) => {
    const named = codes.filter((code) => httpStatuses[code] === status).map((code) => `\`${code}\``);
    return `| ${status} | ${named.join(', ')} |\n`;
  });
  return `| Status | Reason codes |\n|---|---|\n${rows.join('')}`;
}
