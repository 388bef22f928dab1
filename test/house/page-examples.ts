import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/package-root.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';

/** A policy of docs/policy.md with the table of commands that follows it. */
export interface Example {
  readonly title: string;
  readonly yaml: string;
  readonly rows: readonly (readonly [line: string, action: string])[];
}

export const policyPage = readFileSync(join(packageRoot(), 'docs/policy.md'), 'utf8');

export const examples: readonly Example[] = [
  ...policyPage.matchAll(/### ([^\n]+)\n(?:(?!\n###? )[\s\S])*?```yaml\n([\s\S]*?)```\n\n((?:\|.*\n)*)/g),
].map(([, title = '', yaml = '', table = '']) => ({ title, yaml, rows: rowsOf(table) }));

/** Throws with every fault if it does not load. */
export function parseExample(yaml: string): Policy {
  const result = parsePolicy(yaml, 'docs/policy.md');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

/** The rows of tables of commands. */
export function rowsOf(table: string): (readonly [line: string, action: string])[] {
  return [...table.matchAll(/^\| `([^`]+)` \| (allow|ask|deny) \|/gm)].map(([, line = '', action = '']) => [
    line,
    action,
  ]);
}
