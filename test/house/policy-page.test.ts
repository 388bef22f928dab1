import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkPolicy } from '../../src/policy/review/check-policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { examples, parseExample, policyPage } from './page-examples.ts';

test('the page has examples', () => {
  expect(examples).toHaveLength(6);
  expect(examples.flatMap(({ rows }) => rows).length).toBeGreaterThan(25);
});

const worked = ['npm', 'pip', 'git', 'docker', 'kubectl', 'terraform', 'tar', 'find', 'ssh'];

test.each(worked)(
  'the page has an example for %s, with what it lets through and what it does not',
  (tool) => {
    const rows = examples.flatMap((example) => example.rows).filter(([line]) => line.startsWith(`${tool} `));
    const actions = rows.map(([, action]) => action);
    expect(actions).toContain('deny');
    expect(actions.some((action) => action !== 'deny')).toBe(true);
  },
);

describe.each(examples)('$title', ({ yaml, rows }) => {
  const policy = parseExample(yaml);

  test('is a policy without errors', () => {
    expect(checkPolicy(policy).errors).toEqual([]);
  });

  test.each(rows)('%s: %s', (line, action) => {
    const [tool = '', ...args] = line.split(' ');
    const facts = { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' };
    expect(decide(policy, facts).action).toBe(action);
  });
});

test('A-466 the example that teaches a tool is a policy, and does what it says', () => {
  const [, yaml = ''] = /### Teaching a tool\n[\s\S]*?```yaml\n([\s\S]*?)```/.exec(policyPage) ?? [];
  const policy = parseExample(yaml);
  expect(checkPolicy(policy).errors).toEqual([]);
  expect(policy.known?.get('bun')?.options.get('--cwd')?.isDirectory).toBe(true);
  const actionOf = (line: string) => {
    const [tool = '', ...args] = line.split(' ');
    return decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
  };
  for (const line of ['bun pm ls --all', 'bun outdated --silent'])
    expect([line, actionOf(line)]).toEqual([line, 'allow']);
  for (const line of [
    'bun run x',
    'bun a x',
    'bun pm ls --registry=x',
    'bun outdated --strange',
    'bun --preload=x outdated',
  ])
    expect([line, actionOf(line)]).toEqual([line, 'deny']);
});

test('the page names every tool that is known', () => {
  const [, known = ''] = /### Tools that are known\n\n(.*?): which options/.exec(policyPage) ?? [];
  const files = readdirSync(new URL('../../src/policy/tools/', import.meta.url));
  expect(known.split(/, | and /).toSorted()).toEqual(
    files.map((file) => file.replace('.json', '')).toSorted(),
  );
});

test('the example of the old format loads', () => {
  const [, yaml = ''] =
    /format\n[\s\S]*```yaml\n([\s\S]*?)```/.exec(policyPage.slice(policyPage.indexOf('## The first'))) ?? [];
  expect(parseExample(yaml)).toMatchObject({ version: 0, defaultAction: 'ask' });
});
