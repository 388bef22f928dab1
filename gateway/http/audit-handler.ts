import { type ChainedRecord, verifiedRecord } from '../../src/audit/chain.ts';
import type { LogLine } from '../../src/audit/read-from.ts';
import type { AnswerOf, Routes } from '../../src/http-api/routes.ts';
import { limitOf } from '../lists/create-lists.ts';
import { newPage } from '../lists/page.ts';
import { numbersOf, toToken } from '../lists/page-token.ts';
import type { Seal } from '../lists/seal.ts';
import { shortText } from '../lists/short-texts.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import type { Call } from './add-routes.ts';
import { shapeOf } from './pages.ts';
import { HttpRefused } from './problem.ts';

type Answer = AnswerOf<Routes['audit']>;

const kind = 'audit';

/** A page of the audit; its cursor names the record with which the next one begins. */
export function auditPage(warden: WardenApi, seal: Seal) {
  return async ({ query }: Call<Routes['audit']>): Promise<Answer> => {
    const limit = limitOf({ limit: Number(query.limit ?? 0) });
    const [next] = numbersOf(seal, kind, query.cursor ?? '', 1) ?? [];
    const from = next ?? (query.from === undefined ? undefined : Number(query.from));
    const page = newPage({ limit, ...shapeOf(toAuditJson) });
    try {
      for await (const line of warden.audit(from, limit)) if (!page.add(line)) break;
    } catch (error) {
      throw new HttpRefused(503, `the audit cannot be read: ${(error as Error).message}`, {
        'retry-after': '1',
      });
    }
    const last = page.rows.reduce((most, { seq }) => Math.max(most, seq), 0);
    return { audit: [...page.messages], nextCursor: page.more() ? toToken(seal, kind, [last + 1]) : '' };
  };
}

function toAuditJson({ text }: LogLine): ChainedRecord | string {
  return verifiedRecord(text) ?? shortText(text);
}
