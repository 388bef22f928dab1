import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { checkPolicy } from './check-policy.ts';

function warningsOf(args: string, action = 'allow', tool = 'get'): readonly string[] {
  const rule = `{ name: pages, tools: [${tool}], args: ["**", ${JSON.stringify(args)}, "**"], action: ${action} }`;
  const text = `version: 1\ntools: { get: { strategy: fetch }, curl: { strategy: mirror } }\nrules:\n  - ${rule}\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return checkPolicy(result.policy).warnings.filter((one) => one.includes('also lets'));
}

test.each([
  ['https://docs.example.com*', 'also lets https://docs.example.com.other.example/ through'],
  ['https://a.example/*|http://docs.example.com*', '"http://docs.example.com*" also lets'],
  ['https://*.example.com/*', 'also lets https://other.example/.example.com/ through'],
  ['https://docs.*.com/', 'also lets https://docs..other.example/ through'],
])('P16: a pattern of a URL that lets other servers in is told: %s', (args, text) => {
  expect(warningsOf(args)).toEqual([expect.stringContaining(text)]);
});

test.each<[string, string?, string?]>([
  ['https://docs.example.com/*'],
  ['https://docs.example.com/'],
  ['https://*'],
  ['http*'],
  ['https://docs.example.com*', 'deny'],
  ['https://docs.example.com*', 'ask'],
  ['https://docs.example.com*', 'allow', 'curl'],
])('one that names its servers is not: %s %s %s', (...how) => {
  expect(warningsOf(...how)).toEqual([]);
});
