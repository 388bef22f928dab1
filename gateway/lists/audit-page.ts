import type { LogLine } from '../../src/audit/read-from.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { limitOf, type PageWish } from './create-lists.ts';
import type { Listed } from './fair-pages.ts';
import { newPage, type RowShape } from './page.ts';
import { numbersOf, toToken } from './page-token.ts';
import type { Seal } from './seal.ts';

const kind = 'audit';

/** Says why there is no page of the audit. */
export class AuditUnreadable extends Error {
  override name = 'AuditUnreadable';
}

export interface AuditWish extends PageWish {
  /** The number of the first record; the newest ones if undefined. */
  readonly from: number | undefined;
}

/** A page of the audit; its token names the record with which the next one begins. */
export async function auditPage<Message>(
  { audit }: Pick<WardenApi, 'audit'>,
  seal: Seal,
  wish: AuditWish,
  shape: RowShape<LogLine, Message>,
): Promise<Listed<Message>> {
  const limit = limitOf(wish);
  const [from = wish.from] = numbersOf(seal, kind, wish.pageToken, 1) ?? [];
  const page = newPage({ limit, ...shape });
  try {
    for await (const line of audit(from, limit)) if (!page.add(line)) break;
  } catch (error) {
    throw new AuditUnreadable(`the audit cannot be read: ${(error as Error).message}`);
  }
  const last = page.rows.reduce((most, { seq }) => Math.max(most, seq), 0);
  return { messages: [...page.messages], nextPageToken: page.more() ? toToken(seal, kind, [last + 1]) : '' };
}
