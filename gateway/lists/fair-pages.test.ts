import { expect, test } from 'vitest';
import { pageQuery } from '../../src/http-api/fields.ts';
import { createFairPages } from './fair-pages.ts';
import { createKeptPlaces } from './kept-places.ts';
import { createSeal } from './seal.ts';

interface Row {
  readonly id: number;
  readonly agent: string;
}

const shape = { limit: 100, toMessage: ({ id }: Row) => id, bytesOf: () => 8 };
const rowsOf = (agents: number) =>
  Array.from({ length: 2 * agents }, (_, id): Row => ({ id, agent: `agent-${id % agents}` }));
const newPages = (most?: number) =>
  createFairPages<Row, number>(
    ({ id }) => `${id}`,
    ({ agent }) => agent,
    createSeal(),
    createKeptPlaces(most),
  );

const by = (reader: string) => ({ reader, wanted: () => true });

test('A-416 P10: a list is read to its end, however many agents have rows in it', () => {
  const [pages, rows] = [newPages(), rowsOf(1500)];
  const shown: number[] = [];
  let token = '';
  do {
    expect(pageQuery.safeParse({ cursor: token }).success).toBe(true);
    const page = pages(rows, token, shape, by('person:ann'));
    // The same cursor again is the same page.
    expect(pages(rows, token, shape, by('person:ann')).messages).toEqual(page.messages);
    shown.push(...page.messages);
    token = page.nextPageToken;
  } while (token !== '');
  expect(shown.toSorted((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
});

test('A-416 P20: what is kept for cursors has a size; who turns many pages loses its own places and no others', () => {
  const [pages, rows] = [newPages(2000), rowsOf(600)];
  const first = pages(rows, '', shape, by('person:ann')).nextPageToken;
  const own = pages(rows, first, shape, by('person:ann')).nextPageToken;
  const tokens = [''];
  for (let at = 0; at < 8; at += 1)
    tokens.push(pages(rows, tokens.at(-1) ?? '', shape, by('person:bob')).nextPageToken);
  expect(() => pages(rows, tokens[2] ?? '', shape, by('person:bob'))).toThrow('begin again without one');
  expect(pages(rows, tokens.at(-1) ?? '', shape, by('person:bob')).messages).not.toEqual([]);
  expect(pages(rows, own, shape, by('person:ann')).messages).not.toEqual([]);
});
