import { randomBytes } from 'node:crypto';
import { createFairList, type FairRow, type Marks } from '../approvals/fair-list.ts';
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
  wanted?: (row: Row) => boolean,
) => Listed<Message>;

export function createFairPages<Row, Message>(
  keyOf: (row: Row) => string,
  shareOf: (row: Row) => string,
  seal: Seal,
): FairPages<Row, Message> {
  const list = createFairList(keyOf, shareOf);
  // Turns begin again with the gateway: with an older token, rows would be skipped.
  const kind = randomBytes(6).toString('hex');
  return (rows, token, { toMessage, ...shape }, wanted = () => true) => {
    const marks = marksOf(seal, kind, token);
    const left = list(rows, marks).filter(({ row }) => wanted(row));
    const page = fillPage(left, { ...shape, toMessage: ({ row }: FairRow<Row>) => toMessage(row) });
    const nextPageToken = page.more() ? toToken(seal, kind, placeOf(marks, page.rows)) : '';
    return { messages: [...page.messages], nextPageToken };
  };
}

function marksOf(seal: Seal, kind: string, token: string): Marks {
  const numbers = numbersOf(seal, kind, token) ?? [];
  if (numbers.length % 2 !== 0) throw foreignToken();
  const marks = new Map<number, number>();
  for (let at = 0; at < numbers.length; at += 2) marks.set(numbers[at] ?? 0, numbers[at + 1] ?? 0);
  return marks;
}

function placeOf(before: Marks, shown: readonly FairRow<unknown>[]): number[] {
  const marks = new Map(before);
  for (const { share, turn } of shown) marks.set(share, turn);
  return [...marks].flat();
}
