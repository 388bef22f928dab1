import { describe, expect, test } from 'vitest';
import { readArguments } from '../arguments/read-arguments.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { decidedLine } from './decided-line.fixture.ts';

const denied = (pattern: string, ...words: readonly string[]) =>
  decidedLine(
    ['make', ...words],
    `name: no, tools: [make], args: ["**", "${pattern}", "**"], action: deny`,
    'name: make, tools: [make], args: [deploy, "**"], action: allow',
  ) === 'deny';

const operators = ['=', ':=', '::=', ':::=', '?=', '+='];
const written = operators.flatMap((operator) =>
  ['ENV#prod', 'ENV # prod', ' ENV#prod', 'ENV#  prod', 'ENV\t#prod', 'ENV#prod '].map((form) =>
    form.replace('#', operator),
  ),
);

describe('A-436 P7: a variable of make is set by any of its operators', () => {
  test.each(written)('ENV=prod is %j', (word) => {
    for (const pattern of ['ENV=prod', 'ENV:=prod', 'ENV = prod', 'ENV=*', '*=prod', 'X=y|ENV?=prod'])
      expect([pattern, denied(pattern, 'deploy', word)]).toEqual([pattern, true]);
    for (const pattern of ['ENV=dev', 'OTHER=prod', 'ENV=pro'])
      expect([pattern, denied(pattern, 'deploy', word)]).toEqual([pattern, false]);
  });

  test.each([
    ['a comment', ['ENV#=prod']],
    ['a rule', ['a:ENV=prod']],
    ['two words', ['A B=prod']],
    ['what adds to another', ['ENV=pr', 'ENV+=od']],
    ['a long one', [`ENV=${'x'.repeat(17_000)}`]],
    ['one too many', Array.from({ length: 101 }, (_, at) => `V${at}=1`)],
  ])('not understood is %s', (_, words) => {
    expect(denied('OTHER=x', 'deploy', ...words)).toBe(true);
  });

  test('A-34 as people write them they are understood', () => {
    const words = ['all', 'V=1', 'CFLAGS=-O2 -g -DX=1', 'PREFIX = /usr', 'CC?=gcc', 'x/y.z=a', 'E='];
    expect(readArguments(knownTools.get('make')!, words).sure).toBe(true);
  });

  test('an allow goes by what is written', () => {
    const rule = 'name: dev, tools: [make], args: [deploy, "ENV=dev"], action: allow';
    expect(decidedLine('make deploy ENV=dev', rule)).toBe('allow');
    expect(decidedLine('make deploy ENV:=dev', rule)).toBe('deny');
  });
});
