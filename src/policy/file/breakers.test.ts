import { expect, test } from 'vitest';
import { parsePolicy } from './parse-policy.ts';

function parse(breakers: string) {
  return parsePolicy(`version: 1\nbreakers:\n${breakers}complete: true\n`, 'p.yaml');
}

test('the three kinds of breakers', () => {
  const result = parse(`  - { name: stuck, repeats: 10, action: refuse }
  - { name: lost, failures: 5, action: pause, reason: read the log }
  - { name: flood, rate: 60/m, agents: [coder], action: pause }
`);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  expect(result.policy.breakers).toEqual([
    { name: 'stuck', action: 'refuse', trips: { on: 'repeats', most: 10 } },
    { name: 'lost', action: 'pause', trips: { on: 'failures', most: 5 }, reason: 'read the log' },
    {
      ...{ name: 'flood', action: 'pause', trips: { on: 'rate', most: 60, perMs: 60_000 } },
      agents: new Set(['coder']),
    },
  ]);
});

test.each([
  ['{ name: x, action: refuse }', /p\.yaml:3: breakers\[0\]: must have one of repeats, failures, rate/],
  ['{ name: x, repeats: 2, failures: 2, action: refuse }', /must have one of/],
  ['{ name: x, repeats: 1, action: refuse }', /p\.yaml:3: breakers\[0\]\.repeats: must be at least 2/],
  ['{ name: x, failures: 0, action: refuse }', /failures/],
  ['{ name: x, rate: often, action: refuse }', /a rate like 10\/m/],
  ['{ name: x, failures: 2, action: kill }', /action/],
  ['{ name: x, failures: 2, action: pause, after: 1m }', /after/],
  [
    '{ name: x, failures: 2, action: pause }\n  - { name: x, failures: 3, action: pause }',
    /another breaker is named "x"/,
  ],
])('%s is refused', (breaker, problem) => {
  const result = parse(`  - ${breaker}\n`);
  expect('problems' in result && result.problems.join('\n')).toMatch(problem);
});

test('the format of the first Clawrden has none', () => {
  expect(parsePolicy('breakers: []\n', 'p.yaml')).toMatchObject({ problems: expect.anything() });
});
