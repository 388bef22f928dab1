import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Context } from '../reach/context.ts';
import { noteShown, type ShownQuestion, shownQuestion } from './shown-questions.ts';

let dir: string;
let context: Context;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-shown-'));
  context = { file: join(dir, 'context.yaml'), gateway: 'warden.example:8443', identity: dir };
});
afterEach(() => rmSync(dir, { recursive: true }));

const soon = new Date(Date.now() + 60_000).toISOString();

function question(id: string, planHash = `${id}-hash`): ShownQuestion {
  return { id, planHash, expiresAt: soon };
}

const id = fc.string({ unit: fc.constantFrom('0', '1', 'a'), minLength: 1, maxLength: 4 });

test('A-80: a beginning stands for the one question that was shown and begins so, and for no other', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 8 }), id, (ids, beginning) => {
      rmSync(`${context.file}.shown`, { force: true });
      for (const each of ids) noteShown(context, [question(each)]);
      const matching = ids.filter((each) => each.startsWith(beginning));
      const find = () => shownQuestion('approve', beginning, context);
      if (matching.length === 1) expect(find()).toEqual(question(matching[0] ?? ''));
      else
        expect(find).toThrow(
          matching.length === 0 ? /was not shown here; look at it first/ : /more than one/,
        );
    }),
  );
});

test('A-80: what was shown last of a question counts; another gateway was shown nothing', () => {
  noteShown(context, [question('a1', 'before'), question('b2')]);
  noteShown(context, [question('a1', 'after')]);
  expect(shownQuestion('approve', 'a', context).planHash).toBe('after');
  expect(() => shownQuestion('approve', 'a', { ...context, gateway: 'other:1' })).toThrow(/not shown here/);
  expect(() => shownQuestion('approve', '', context)).toThrow(/not shown here/);
  expect(statSync(`${context.file}.shown`).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['context.yaml.shown']);
});

test.each([
  ['others may write', (file: string) => chmodSync(file, 0o620)],
  [
    'is a link',
    (file: string) => {
      const text = readFileSync(file);
      rmSync(file);
      writeFileSync(`${file}.real`, text, { mode: 0o600 });
      symlinkSync(`${file}.real`, file);
    },
  ],
  ['is too large', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').padEnd(2 * 1024 * 1024))],
  [
    'is no file',
    (file: string) => {
      rmSync(file);
      symlinkSync('/dev/zero', file);
    },
  ],
])('A-80: nothing is taken from a file that %s', (_what, change) => {
  noteShown(context, [question('a1')]);
  expect(shownQuestion('deny', 'a1', context)).toEqual(question('a1'));
  change(`${context.file}.shown`);
  expect(() => shownQuestion('deny', 'a1', context)).toThrow(/not shown here/);
});

test('it keeps the last thousand, whatever else the file holds', () => {
  writeFileSync(`${context.file}.shown`, 'garbage\n\n a b\n', { mode: 0o600 });
  const many = Array.from({ length: 1500 }, (_, index) => question(`${index}`.padStart(6, '0')));
  noteShown(context, many);
  expect(() => shownQuestion('approve', '000499', context)).toThrow(/not shown/);
  expect(shownQuestion('approve', '000500', context)).toEqual(many[500]);
});
