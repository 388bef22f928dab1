import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { composePolicy } from '../../src/policy/file/compose-policy.ts';
import { parseToolFile } from '../../src/policy/file/tool-file.ts';
import { checkPolicy } from '../../src/policy/review/check-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { rowsOf } from '../house/page-examples.ts';

const folder = join(packageRoot(), 'tools');
const names = readdirSync(folder).map((file) => file.replace(/\.md$/, ''));

test('four tools are shipped', () => {
  expect(names.toSorted()).toEqual(['gh', 'kubectl', 'stripe', 'terraform']);
});

describe.each(names)('tools/%s.md', (name) => {
  const result = parseToolFile(readFileSync(join(folder, `${name}.md`), 'utf8'), `${name}.md`, name);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const { documentation, tool } = result.file;
  const [, rules = ''] = /```yaml\n([\s\S]*?)```/.exec(documentation) ?? [];
  const additions = { toolFiles: [[result.file]] };
  const composed = composePolicy(`version: 1\n${rules}complete: true\n`, 'policy.yaml', additions);
  if ('problems' in composed) throw new Error(composed.problems.join('\n'));
  const rows = rowsOf(documentation);

  test('loads with its rules, without an error, and without a network', () => {
    expect([composed.unfit, checkPolicy(composed.policy).errors]).toEqual([[], []]);
    expect([tool.strategy, tool.network]).toEqual(['ghost', undefined]);
  });

  test('has commands that run, that ask and that are refused', () => {
    expect(new Set(rows.map(([, action]) => action))).toEqual(new Set(['allow', 'ask', 'deny']));
  });

  test.each(rows)('%s: %s', (line, action) => {
    const [command = '', ...args] = line.split(' ');
    const facts = { agent: 'coder', tool: command, args, uid: 1000, gid: 1000, cwd: '/app' };
    expect(decide(composed.policy, facts).action).toBe(action);
  });
});
