import { tell } from '../print/tell.ts';

/** A list as far as it was read. */
export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Goes on behind the rows; empty at the list's end. */
  readonly next: string;
}

export interface Pages {
  /** How many rows at most. */
  readonly limit?: number;
  /** Where an earlier list stopped. */
  readonly page?: string;
}

/** Rows that the gateway puts into one page at most. */
const pageRows = 1000;

/** Reads page after page, to the list's end or up to `limit` rows. */
export async function readPages<Row>(
  { limit = Number.POSITIVE_INFINITY, page = '' }: Pages,
  fetch: (request: { readonly pageToken: string; readonly limit: number }) => Promise<Listed<Row>>,
): Promise<Listed<Row>> {
  const rows: Row[] = [];
  let next = page;
  do {
    const read = await fetch({ pageToken: next, limit: Math.min(pageRows, limit - rows.length) });
    rows.push(...read.rows);
    next = read.next;
  } while (next !== '' && rows.length < limit);
  return { rows, next };
}

/** Says on stderr that rows were left out: stdout may be read by a program. The token has a line of its own, to be copied. */
export function sayMore(what: string, { next }: Listed<unknown>): void {
  if (next === '') return;
  tell(`clawrden: ${what}: there is more; it goes on with`);
  tell(`--page ${next}`);
}
