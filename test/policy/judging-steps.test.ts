import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../src/policy/rules/decide.ts';
import { limitPolicy, limitRules } from './limit-commands.ts';

const kinds = ['flags', 'first words', 'words anywhere', 'anything'].filter((kind) => kind in limitRules);
const cases = kinds.flatMap((kind) => ['deny', 'ask', 'allow'].map((action) => [kind, action] as const));
const policies = new Map(cases.map(([kind, action]) => [`${kind} ${action}`, limitPolicy([kind], action)]));

/** How often any part of a decision read a word of the line. */
function looksOf(kind: string, action: string, words: readonly string[]): number {
  let looks = 0;
  const [tool = '', ...args] = words;
  const counted = new Proxy(args, {
    get(target, key, receiver): unknown {
      if (typeof key === 'string' && key >= '0' && key <= '9999999') looks += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const facts = { agent: 'coder', tool, args: counted, uid: 1000, gid: 1000, cwd: '/app' };
  decide(policies.get(`${kind} ${action}`)!, facts);
  return looks;
}

const wrappers = [['env'], ['timeout', '5'], ['nice'], ['nohup'], ['env', '-v']];
// A look at each word for each of three is more than the bound.
const around = fc.subarray(wrappers, { minLength: 3, maxLength: 4 }).map((some) => some.flat());
const word = fc.constantFrom('a', '--option=x', '-x', 'src/file.ts', '--experimental-config-file=x');
/** The part that does not grow with the words: the first words, for each rule; in each of the nested lines. */
const fixed = 5 * 1000 * 16;

test('A-76 P20 a wrapper around words adds nothing to a decision that grows with the words', () => {
  fc.assert(
    fc.property(fc.constantFrom(...cases), around, word, ([kind, action], outer, one) => {
      const many = Array<string>(32_000).fill(one);
      const plain = looksOf(kind, action, ['other', ...many]);
      expect(looksOf(kind, action, [...outer, 'other', ...many]) - plain).toBeLessThan(fixed);
    }),
    { numRuns: 6 },
  );
});

test.each(cases)(
  'A-76 P20 twice as many words are looked at twice as often, and no more: %s, %s',
  (kind, action) => {
    const looks = (count: number) =>
      looksOf(kind, action, ['env', 'other', ...Array<string>(count).fill('a.ts')]);
    expect(looks(20_000) - looks(10_000)).toBeLessThan(10_000 * 10);
  },
);
