import { randomBytes } from 'node:crypto';
import { createFairList, type FairRow, type Marks } from '../approvals/fair-list.ts';
import { createKeptPlaces, type KeptPlaces } from './kept-places.ts';
import { fillPage, type PageShape } from './page.ts';
import { foreignToken, numbersOf, toToken } from './page-token.ts';
import type { Seal } from './seal.ts';

export interface Listed<Message> {
  readonly messages: Message[];
  /** Empty at the list's end. */
  readonly nextPageToken: string;
}

/**
 * Pages of rows that several shares have in common; a token says which rows of each share were shown. `rows`: all
 * rows, the oldest first.
 */
export type FairPages<Row, Message> = (
  rows: readonly Row[],
  token: string,
  shape: PageShape<Row, Message>,
  look: Look<Row>,
) => Listed<Message>;

export interface Look<Row> {
  /** The principal's name. */
  readonly reader: string;
  readonly wanted: (row: Row) => boolean;
}

export function createFairPages<Row, Message>(
  keyOf: (row: Row) => string,
  shareOf: (row: Row) => string,
  seal: Seal,
  kept: KeptPlaces = createKeptPlaces(),
): FairPages<Row, Message> {
  const list = createFairList(keyOf, shareOf);
  // Turns begin again with the gateway: with an older token, rows would be skipped.
  const kind = randomBytes(6).toString('hex');
  return (rows, token, { toMessage, ...shape }, { reader, wanted }) => {
    const marks = marksOf(numbersOf(seal, kind, token) ?? [], kept);
    const left = list(rows, marks).filter(({ row }) => wanted(row));
    const page = fillPage(left, { ...shape, toMessage: ({ row }: FairRow<Row>) => toMessage(row) });
    const place = page.more() ? placeOf(marks, page.rows) : [];
    const told = place.length > numbersInToken ? [kept.keep(reader, place)] : place;
    const nextPageToken = page.more() ? toToken(seal, kind, told) : '';
    return { messages: [...page.messages], nextPageToken };
  };
}

/** A token, as a cursor of HTTP, has 4,096 characters at most. A longer place stays here, and its number is told. */
const numbersInToken = 160;

function marksOf(told: readonly number[], kept: KeptPlaces): Marks {
  const [number = 0] = told;
  const numbers = told.length === 1 ? kept.find(number) : told;
  if (numbers === undefined || numbers.length % 2 !== 0) throw foreignToken();
  const marks = new Map<number, number>();
  for (let at = 0; at < numbers.length; at += 2) marks.set(numbers[at] ?? 0, numbers[at + 1] ?? 0);
  return marks;
}

function placeOf(before: Marks, shown: readonly FairRow<unknown>[]): number[] {
  const marks = new Map(before);
  for (const { share, turn } of shown) marks.set(share, turn);
  return [...marks].flat();
}
