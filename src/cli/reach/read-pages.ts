import { tell } from '../print/tell.ts';

/** The part of a list that was read. */
export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** The token for the rows that follow; empty at the end of the list. */
  readonly next: string;
}

export interface Pages {
  /** Most rows. */
  readonly limit?: number;
  /** The token of an earlier list. */
  readonly page?: string;
}

/** Most rows that the gateway puts into one page. */
const pageRows = 1000;

/** Reads page after page, to the end of the list or to `limit` rows. */
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

/**
 * Says on stderr that rows were left out, because a program may read stdout. The token has its own line, so that it
 * can be copied.
 */
export function sayMore(what: string, { next }: Listed<unknown>): void {
  if (next === '') return;
  tell(`clawrden: ${what}: there are more rows; continue with`);
  tell(`--page ${next}`);
}
