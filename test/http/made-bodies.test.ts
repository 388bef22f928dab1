import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problem } from '../../src/http-api/problem.ts';
import { withBody } from './good-requests.ts';
import { type SpiedDoor, startSpiedDoor } from './spied-door.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const numRuns = isLong ? 10_000 : 60;

let spied: SpiedDoor;
beforeAll(async () => {
  spied = await startSpiedDoor();
});
afterAll(() => spied[Symbol.asyncDispose]());

type Good = (typeof withBody)[number];

/** Each over a connection of an address of its own: one address may not connect as often as this. */
async function send({ route, target }: Good, body: string) {
  const bytes = Buffer.from(body).toString('latin1');
  const head = [`${route.method} ${target} HTTP/1.1`, 'Connection: close', ...spied.own];
  const answer = await spied.send(`${head.join('\r\n')}\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes}`);
  const told: unknown = JSON.parse(answer.text.slice(answer.text.indexOf('\r\n\r\n')));
  if (answer.status >= 400) expect(problem.parse(told).status).toBe(answer.status);
  return { status: answer.status, acts: spied.acts() };
}

type Change = (pairs: readonly string[]) => readonly string[];

/** JSON of the value, with the pairs of its `at`th object changed. */
function written(value: unknown, at: { left: number }, change: Change): string {
  if (Array.isArray(value)) return `[${value.map((each) => written(each, at, change)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const mine = at.left === 0;
  at.left -= 1;
  const pairs = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}:${written(each, at, change)}`,
  );
  return `{${(mine ? change(pairs) : pairs).join(',')}}`;
}

function objectsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce(
    (sum: number, each) => sum + objectsIn(each),
    Array.isArray(value) ? 0 : 1,
  );
}

/** A key as one of its spellings in JSON. */
const spelled = (key: string) =>
  fc.array(fc.boolean(), { minLength: key.length, maxLength: key.length }).map((escape) => {
    const parts = [...key].map((each, at) =>
      escape[at] ? `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}` : each,
    );
    return `"${parts.join('')}"`;
  });

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.stringify(each)),
  fc.constantFrom('"x"', '{"role":"admin"}', 'null', '["rm"]'),
);
const poison = fc.tuple(fc.constantFrom('__proto__', 'constructor', 'prototype').chain(spelled), value).map(
  ([key, each]): Change =>
    (pairs) => [...pairs, `${key}:${each}`],
);
const twice = fc
  .tuple(fc.nat(20), value, fc.boolean(), fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }))
  .map(
    ([which, each, isFirst, escape]): Change =>
      (pairs) => {
        const key = /^"([^"]*)"/.exec(pairs[which % pairs.length] ?? '""')?.[1] ?? '';
        const again = [...key].map((letter, at) =>
          escape[at] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
        );
        const pair = `"${again.join('')}":${each}`;
        return isFirst ? [pair, ...pairs] : [...pairs, pair];
      },
  );

test(
  'A-07 A-68 P17: a body with a key twice, or with a key of prototypes, at any depth, does nothing',
  async () => {
    const some = fc.constantFrom(...withBody);
    await fc.assert(
      fc.asyncProperty(some, fc.nat(10), fc.oneof(poison, twice), async (good, at, change) => {
        const whole: unknown = JSON.parse(good.body);
        const text = written(whole, { left: at % objectsIn(whole) }, change);
        expect([text, await send(good, text)]).toEqual([text, { status: 400, acts: [] }]);
      }),
      { numRuns },
    );
    // As it is written without a change, it counts.
    for (const good of withBody) {
      const { status, acts } = await send(
        good,
        written(JSON.parse(good.body), { left: 0 }, (pairs) => pairs),
      );
      expect([good.target, [200, 404, 409, 500].includes(status), acts.length > 0]).toEqual([
        good.target,
        true,
        true,
      ]);
    }
  },
  isLong ? 600_000 : 60_000,
);

test(
  'A-68: what no shape has, and what JSON is not, does nothing',
  async () => {
    const key = fc.oneof(
      fc.constantFrom('role', 'scope', 'caller', 'principal', 'approved', 'identity', 'uid0', 'toString', ''),
      fc.string({ maxLength: 10 }),
    );
    const more = fc.tuple(key, value).map(
      ([name, each]): Change =>
        (pairs) => [...pairs, `${JSON.stringify(name)}:${each}`],
    );
    const broken = fc
      .tuple(
        fc.nat(1000),
        fc.constantFrom(',', '//', '/**/', "'", '\u00a0', '\ufeff', '\\', 'NaN', '{', ']', '\0', '01', '+'),
      )
      .map(
        ([at, odd]) =>
          (text: string) =>
            text.slice(0, at % text.length) + odd + text.slice(at % text.length),
      );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), more, async (good, change) => {
        const text = written(JSON.parse(good.body), { left: 0 }, change);
        fc.pre(
          Object.keys(JSON.parse(text) as object).length >
            Object.keys(JSON.parse(good.body) as object).length,
        );
        fc.pre(
          !Object.keys(good.route.body?.shape ?? {}).some(
            (name) =>
              Object.hasOwn(JSON.parse(text) as object, name) &&
              !Object.hasOwn(JSON.parse(good.body) as object, name),
          ),
        );
        expect([text, await send(good, text)]).toEqual([text, { status: 400, acts: [] }]);
      }),
      { numRuns: numRuns / 2 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), broken, async (good, spoil) => {
        const text = spoil(good.body);
        // Within a string it may be a text.
        fc.pre(!isJson(text));
        expect([text, await send(good, text)]).toEqual([text, { status: 400, acts: [] }]);
      }),
      { numRuns: numRuns / 2 },
    );
  },
  isLong ? 600_000 : 60_000,
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const many = 100_000;
const items: readonly [string, string][] = [
  ['items', `[${'0,'.repeat(many)}0]`],
  ['texts', `[${'"",'.repeat(many)}""]`],
  ['keys', `{${Array.from({ length: many }, (_, at) => `"k${at}":""`).join(',')}}`],
  ['lists in lists', '['.repeat(many) + ']'.repeat(many)],
  ['objects in objects', '{"a":'.repeat(many) + '0' + '}'.repeat(many)],
  ['empty lists', `[${'[],'.repeat(many)}[]]`],
  ['digits', '9'.repeat(1_000_000)],
  ['backslashes', `"${'\\\\'.repeat(500_000)}"`],
  ['open quotes', '"'.repeat(1_000_001)],
  ['blanks', `${' '.repeat(1_500_000)}x`],
];

const places = withBody.flatMap((good) =>
  Object.keys(good.route.body?.shape ?? {}).map((key) => ({ good, key })),
);

test.each(items)(
  'A-86 P20: a body with 100,000 %s is refused at once',
  async (_what, text) => {
    const before = process.cpuUsage();
    const some = isLong ? places : places.filter(({ key }) => key === 'args' || key === 'hostLabels');
    for (const { good, key } of some) {
      const others = Object.entries(JSON.parse(good.body) as object).filter(([name]) => name !== key);
      const pairs = others.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)},`);
      const { status, acts } = await send(good, `{${pairs.join('')}"${key}":${text}}`);
      // A text of a million characters is a text: what stands behind the door bounds it.
      const isText = text.startsWith('"\\') && status === 200;
      expect([key, isText || status === 400, isText ? [] : acts]).toEqual([key, true, []]);
    }
    // Of both ends, with the megabyte that this test writes; a second would be a way to stop the gateway.
    expect(process.cpuUsage(before).user / 1000 / some.length).toBeLessThan(200);
  },
  isLong ? 600_000 : 60_000,
);
