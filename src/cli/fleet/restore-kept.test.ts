import { expect, test } from 'vitest';
import { filesAt } from './restore-kept.ts';

const file = (path: string) => ({ path: Buffer.from(path) });

test('A-538 P11: a path that a person types is one file: what is shown so goes before what has these bytes', () => {
  const [tab, backslash] = [file('a\tb'), file('a\\tb')];
  expect(filesAt([backslash, tab], 'a\\tb')).toEqual([tab]);
  expect(filesAt([backslash], 'a\\tb')).toEqual([backslash]);
  expect(filesAt([tab, backslash], 'a\\\\tb')).toEqual([backslash]);
  expect(filesAt([tab], 'a\tb')).toEqual([tab]);
});
