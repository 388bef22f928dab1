import { expect, test } from 'vitest';
import { readJsonBody } from './read-json-body.ts';

const read = (text: string) => () => readJsonBody(Buffer.from(text));
const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at));

// What is behind the first fault is no JSON: who read on would say so.
test.each([
  ['numbers in a list', `{"args":[${'0,'.repeat(129)}!`, 'behind item 128 an array holds texts only'],
  ['lists in a list', `{"args":[${'[],'.repeat(129)}!`, 'behind item 128 an array holds texts only'],
  ['a number behind texts', `{"args":[${'"x",'.repeat(128)}0,!`, 'behind item 128 an array holds texts only'],
  [
    'keys',
    `{"env":{${many(1129, (at) => `"k${at}":0`).join()},!`,
    'an object has more keys than that of any request',
  ],
])(
  'A-342 P20: a body with too many faults is read to the first one too many, not to its end: %s',
  (_what, text, why) => {
    expect(read(text)).toThrow(why);
  },
);

test('A-342: what a request may have is read', () => {
  const args = many(32_000, (at) => `${at}`);
  const env = Object.fromEntries(many(1000, (at) => [`V${at}`, 'x']));
  const mixed = many(128, (at) => at);
  const text = JSON.stringify({ args, env, mixed });
  expect(JSON.stringify(read(text)())).toBe(text);
});
