import type { KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { chainedLine, firstLink, headText, signLink } from '../../src/audit/chain.ts';
import { handOverType, keyText, signHandOver } from '../../src/audit/hand-over.ts';
import { type AuditReport, verifyAudit } from '../../src/audit/verify-audit.ts';
import { newKey, newSigningLog } from './signing-log.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 5000 : 80;
const [first, second, third] = [newKey(), newKey(), newKey()];
const keys = [first, second, third];

/** A record without its place in the chain. */
type Body = Record<string, unknown>;

let log: Awaited<ReturnType<typeof newSigningLog>>;
let whole: readonly Body[];

beforeAll(async () => {
  log = await newSigningLog(keys);
  whole = (await readFile(log.file, 'utf8')).split('\n').flatMap((line) => {
    if (line === '') return [];
    const { hash: _, ...body } = JSON.parse(line) as Body;
    return [body];
  });
});
afterAll(() => log[Symbol.asyncDispose]());

/** How a record gets what depends on its place. */
type Place = (body: Body) => Body;

/** What somebody writes who can write the file: the whole chain anew, by whom `place` signs anew. */
function chained(bodies: readonly Body[], place: Place = (body) => body): string {
  let prev = firstLink;
  let text = '';
  for (const [index, body] of bodies.entries()) {
    const placed = place({ ...body, seq: index + 1, prev });
    const { line, hash } = chainedLine(placed);
    prev = hash;
    text += `${line}\n`;
  }
  return text;
}

let names = 0;
async function verified(text: string, key: KeyObject): Promise<AuditReport> {
  names += 1;
  const file = join(log.dir, `forged-${names}.jsonl`);
  await writeFile(file, text);
  return await verifyAudit([file], { key });
}

/** Signs every head and every hand-over anew, with the keys of `held` where the record asks for them. */
function signedBy(held: readonly KeyObject[], begin: KeyObject): Place {
  let present = begin;
  return (body) => {
    if (body['type'] === 'head') return { ...body, signature: signLink(headText(body), present) };
    if (body['type'] !== handOverType) return body;
    const { signature: _, accepted, ...rest } = body;
    const next = held.find((key) => keyText(key) === rest['key']);
    const signed = signHandOver(rest, present, next ?? present);
    if (next !== undefined) present = next;
    // What it cannot sign it takes from the log.
    return {
      ...rest,
      signature: signed.signature,
      accepted: next === undefined ? accepted : signed.accepted,
    };
  };
}

const at = (type: string) => whole.flatMap((body, index) => (body['type'] === type ? [index] : []));
const isHandOver = (body: Body) => body['type'] === handOverType;

describe('P25: a log over two rotations', () => {
  test.each([
    ['oldest', first],
    ['middle', second],
    ['newest', third],
  ])('is vouched for to its end by the %s of its keys, in one file and in parts', async (_, key) => {
    const report = await verified(chained(whole), key);
    expect(report).toMatchObject({ rotations: 2, heads: 3, records: whole.length, vouchedFor: whole.length });
    expect(report.problem).toBeUndefined();
    await using inParts = await newSigningLog(keys, 700);
    const files = await auditFiles(inParts.file);
    expect(files.length).toBeGreaterThan(3);
    expect(await verifyAudit(files, { key })).toMatchObject({ rotations: 2, vouchedFor: whole.length });
    // Parts of before may have been moved away, and with them what leads from an older key to here.
    const from = whole.length;
    const later = await verifyAudit(files.slice(-1), { key, from });
    expect(later.vouchedFor).toBe(key === third ? whole.length : 0);
    expect(later.problem === undefined).toBe(key === third);
  });

  test('is vouched for by no other key, and by none if nobody gives one', async () => {
    const foreign = await verified(chained(whole), newKey());
    expect(foreign.vouchedFor).toBe(0);
    expect(foreign.problem?.why).toContain('none of the keys that signed it is the one that was given');
    expect(await verifyAudit([log.file])).toMatchObject({ rotations: 2, heads: 3, vouchedFor: 0 });
  });
});

/** What somebody does to the log who can write it, and holds none of its keys. */
const tamperings: Readonly<Record<string, fc.Arbitrary<() => string>>> = {
  'a hand-over is missing': fc
    .nat({ max: 1 })
    .map((which) => () => chained(whole.filter((_, index) => index !== at(handOverType)[which]))),
  'both are missing': fc.constant(() => chained(whole.filter((body) => !isHandOver(body)))),
  'they are out of order': fc.constant(() => {
    const [one = 0, two = 0] = at(handOverType);
    const bodies = [...whole];
    [bodies[one], bodies[two]] = [whole[two] ?? {}, whole[one] ?? {}];
    return chained(bodies);
  }),
  'one stands elsewhere, or twice': fc
    .tuple(fc.nat({ max: 1 }), fc.nat({ max: 20 }), fc.boolean())
    .map(([which, to, isTwice]) => () => {
      const from = at(handOverType)[which] ?? 0;
      const body = whole[from] ?? {};
      const rest = isTwice ? [...whole] : whole.filter((each) => each !== body);
      rest.splice(to % rest.length === from ? from + 2 : to % rest.length, 0, body);
      return chained(rest);
    }),
  'a field of one is another': fc
    .tuple(
      fc.nat({ max: 1 }),
      fc.constantFrom(
        'key',
        'former',
        'formerUntil',
        'by',
        'reason',
        'signature',
        'accepted',
        'time',
        'mono',
      ),
      fc.oneof(
        fc.string({ minLength: 1 }),
        fc.constantFrom('', null, undefined, {}, 7),
        fc.constantFrom(...keys.map(keyText)),
      ),
    )
    .map(([which, name, value]) => () => {
      const index = at(handOverType)[which] ?? 0;
      const before = whole[index]?.[name];
      const other = value === before ? 'another' : value;
      return chained(whole.map((body, i) => (i === index ? { ...body, [name]: other } : body)));
    }),
  'nobody signed for a key that is put in': fc
    .tuple(fc.nat({ max: 40 }), fc.constantFrom('own', 'copied', 'none'), fc.constantFrom(...keys))
    .map(([to, how, former]) => () => {
      const own = newKey();
      const body = {
        ...whole[at(handOverType)[0] ?? 0],
        key: keyText(own),
        former: keyText(former),
        ...(how === 'none' && { signature: '', accepted: '' }),
      };
      const bodies = [...whole];
      // Behind the last head there is nothing that vouches for anything.
      bodies.splice(to % (whole.length - 1), 0, body);
      const place: Place = (each) =>
        each['key'] === keyText(own) && how === 'own'
          ? { ...each, ...signHandOver(unsigned(each), own, own) }
          : each;
      return chained(bodies, place);
    }),
  'all of it is written anew, with keys of its own that lead to the real one': fc
    .tuple(fc.nat({ max: 2 }), fc.boolean())
    .map(([own, isCut]) => () => {
      const forged = keys.map((key, index) => (index <= own ? newKey() : key));
      const named = new Map(keys.map((key, index) => [keyText(key), keyText(forged[index] ?? key)]));
      const bodies = whole.map((body) =>
        isHandOver(body)
          ? { ...body, key: named.get(String(body['key'])), former: named.get(String(body['former'])) }
          : { ...body, reason: 'forged' },
      );
      // Behind its last hand-over the forger can sign nothing, and may leave it at that.
      const end = isCut ? (at(handOverType).at(-1) ?? 0) + 1 : bodies.length;
      return chained(bodies.slice(0, end), signedBy(forged.slice(0, own + 1), forged[0] ?? first));
    }),
  'a record before a head is another': fc.nat({ max: 100 }).map((index) => () => {
    const before = index % ((at('head').at(-1) ?? 1) - 1);
    return chained(whole.map((body, i) => (i === before ? { ...body, text: 'forged', code: 'x' } : body)));
  }),
};

function unsigned(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => !['signature', 'accepted'].includes(name)),
  );
}

describe.each(Object.entries(tamperings))('A-70 P25: %s', (_, forgeries) => {
  test('and nobody vouches for the log: neither its first key nor its last', async () => {
    await fc.assert(
      fc.asyncProperty(forgeries, fc.constantFrom(first, third), async (forge, key) => {
        const { problem, vouchedFor } = await verified(forge(), key);
        expect(problem).toBeDefined();
        expect(vouchedFor).toBeLessThan(whole.length);
      }),
      { numRuns: Math.ceil(numRuns / 8) },
    );
  });
});

test('A-70 P25: a stolen former key signs nothing behind its hand-over, and no other way on, for who holds the newest', async () => {
  const [one = 0] = at(handOverType);
  const own = newKey();
  const to = (key: KeyObject) => (body: Body, index: number) =>
    index === one ? { ...body, key: keyText(key) } : body;
  const withFirst = signedBy([first, own], first);
  const forgeries = [
    // Its end is cut off, and what follows is of the thief.
    chained([...whole.slice(0, one), ...whole.slice(-1)], withFirst),
    // Another key instead of the next one.
    chained(whole.slice(0, one + 3).map(to(own)), withFirst),
    // The next one, which did not accept what stands before it now.
    chained([{ ...whole[0], text: 'forged' }, ...whole.slice(1)], withFirst),
  ];
  for (const text of forgeries) {
    const { problem, vouchedFor } = await verified(text, third);
    expect(problem).toBeDefined();
    expect(vouchedFor).toBe(0);
  }
  // The control: for who holds the stolen one alone, the first two are as good as any.
  for (const text of forgeries.slice(0, 2)) expect((await verified(text, first)).problem).toBeUndefined();
});
