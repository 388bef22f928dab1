import type { PageWish } from '../lists/create-lists.ts';
import type { RowShape } from '../lists/page.ts';

export interface PageQuery {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

export function toPage({ limit = '0', cursor = '' }: PageQuery): PageWish {
  return { limit: Number(limit), pageToken: cursor };
}

/** Rows as JSON. */
export function shapeOf<Row, Message>(toMessage: (row: Row) => Message): RowShape<Row, Message> {
  return { toMessage, bytesOf: (message) => Buffer.byteLength(JSON.stringify(message)) };
}
