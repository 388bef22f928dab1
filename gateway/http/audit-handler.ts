import { type ChainedRecord, verifiedRecord } from '../../src/audit/chain.ts';
import type { LogLine } from '../../src/audit/read-from.ts';
import type { AnswerOf, Routes } from '../../src/http-api/routes.ts';
import { AuditUnreadable, auditPage } from '../lists/audit-page.ts';
import type { Seal } from '../lists/seal.ts';
import { shortText } from '../lists/short-texts.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import type { Call } from './add-routes.ts';
import { shapeOf, toPage } from './pages.ts';
import { HttpRefused } from './problem.ts';

type Answer = AnswerOf<Routes['audit']>;

export function auditHandler(warden: WardenApi, seal: Seal) {
  return async ({ query: { from, ...query } }: Call<Routes['audit']>): Promise<Answer> => {
    const wish = { ...toPage(query), from: from === undefined ? undefined : Number(from) };
    try {
      const { messages, nextPageToken } = await auditPage(warden, seal, wish, shapeOf(toAuditJson));
      return { audit: messages, nextCursor: nextPageToken };
    } catch (error) {
      if (!(error instanceof AuditUnreadable)) throw error;
      throw new HttpRefused(503, error.message, { 'retry-after': '1' });
    }
  };
}

function toAuditJson({ text }: LogLine): ChainedRecord | string {
  return verifiedRecord(text) ?? shortText(text);
}
