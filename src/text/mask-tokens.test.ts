import { expect, test } from 'vitest';
import { maskText, maskWords } from './mask-tokens.ts';

test.each([
  ['--password=hunter2', '--password=[masked: 7 characters]'],
  ['DB_PASSWORD=x', 'DB_PASSWORD=[masked: 1 characters]'],
  ['X-Auth-Token: abc', 'X-Auth-Token: [masked: 3 characters]'],
  ['{"apiKey":"abcdef"}', '{"apiKey":"[masked: 6 characters]"}'],
  ['https://me:pw@example.com/x', 'https://me:[masked: 2 characters]@example.com/x'],
  ['Authorization: Bearer abcdef123', 'Authorization: [masked: 6 characters] [masked: 9 characters]'],
  [`ghp_${'a'.repeat(36)}`, '[masked: 40 characters]'],
  [`x=${'a1B2'.repeat(10)}`, '[masked: 42 characters]'],
  [`clw_${'Aa0_-'.repeat(8)}abc`, '[masked: 47 characters]'],
])('A-139: %s is masked', (text, masked) => expect(maskText(text)).toBe(masked));

test.each([
  'a'.repeat(200),
  '/app/node_modules/@scope/package-name/dist/index.js',
  '550e8400-e29b-41d4-a716-446655440000',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'install --save-dev typescript@6.0.0',
  'https://example.com/a/b?c=d',
])('A-139: %s is left as it is', (text) => expect(maskText(text)).toBe(text));

test('A-139: the word behind an option that says what it is', () => {
  expect(maskWords(['curl', '--token', 'abc', '-u', 'me', '--password', '--verbose'])).toEqual([
    'curl',
    '--token',
    '[masked: 3 characters]',
    '-u',
    'me',
    '--password',
    '--verbose',
  ]);
});

test('A-139: a plan of the largest size is masked quickly', () => {
  for (const text of ['a', 'token', '//a:', '-----BEGIN ', 'Bearer ', 'a1']) {
    const before = performance.now();
    maskText(text.repeat(65_536 / text.length));
    expect(performance.now() - before).toBeLessThan(10_000);
  }
});
