import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { checkPolicy } from '../../src/policy/check-policy.ts';
import { decide } from '../../src/policy/decide.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';

const page = readFileSync(join(packageRoot(), 'docs/policy.md'), 'utf8');

/** Each policy of the page with the table that follows it. */
const examples = [
  ...page.matchAll(/### ([^\n]+)\n(?:(?!\n###? )[\s\S])*?```yaml\n([\s\S]*?)```\n\n((?:\|.*\n)*)/g),
].map(([, title = '', yaml = '', table = '']) => ({ title, yaml, rows: rowsOf(table) }));

function rowsOf(table: string): (readonly [line: string, action: string])[] {
  return [...table.matchAll(/^\| `([^`]+)` \| (allow|ask|deny) \|/gm)].map(([, line = '', action = '']) => [
    line,
    action,
  ]);
}

function parse(yaml: string): Policy {
  const result = parsePolicy(yaml, 'docs/policy.md');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

test('the page has examples', () => {
  expect(examples).toHaveLength(5);
  expect(examples.flatMap(({ rows }) => rows).length).toBeGreaterThan(25);
});

describe.each(examples)('$title', ({ yaml, rows }) => {
  const policy = parse(yaml);

  test('is a policy without errors', () => {
    expect(checkPolicy(policy).errors).toEqual([]);
  });

  test.each(rows)('%s: %s', (line, action) => {
    const [tool = '', ...args] = line.split(' ');
    const facts = { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' };
    expect(decide(policy, facts).action).toBe(action);
  });
});

test('the example of the old format loads', () => {
  const [, yaml = ''] =
    /format\n[\s\S]*```yaml\n([\s\S]*?)```/.exec(page.slice(page.indexOf('## The first'))) ?? [];
  expect(parse(yaml)).toMatchObject({ version: 0, defaultAction: 'ask' });
});
