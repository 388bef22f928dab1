import { isAsWritten, parseRecord } from '../../src/audit/chain.ts';
import { readLines } from '../../src/audit/read-lines.ts';
import type { ControlRecord, HostRecord, SigningKeyRecord } from './audit-record.ts';
import type { GrantRecord, LinkRecord } from './consent-records.ts';
import type {
  AssignmentRecord,
  CredentialRecord,
  PersonRecord,
  RevocationRecord,
  TokenRecord,
} from './principal-records.ts';
import { lastParts, type Recorded } from './recorded-executions.ts';

/** What a person or a breaker changed for good, what lets a relay in, and the keys that sign. */
export type LastingRecord = Recorded<
  | ControlRecord
  | HostRecord
  | RevocationRecord
  | CredentialRecord
  | PersonRecord
  | TokenRecord
  | SigningKeyRecord
  | GrantRecord
  | LinkRecord
  | AssignmentRecord
>;

export interface ReadBehind {
  /** The number of the last record. */
  readonly last: number;
  /** Records behind `from` that are not in the files, as the first such range; empty if there are none. */
  readonly missing: string;
}

/** Calls `note` for each lasting change in the records after `from`, in their order, however many there are. */
export async function readBehind(
  file: string,
  from: number,
  note: (record: LastingRecord) => void,
): Promise<ReadBehind> {
  let last = from;
  let missing = '';
  for (const part of await lastParts(file, from, Number.POSITIVE_INFINITY)) {
    for await (const { text } of readLines(part.file, part.start)) {
      const chained = parseRecord(text);
      // A line that is not as it was written is missing: the next one shows the gap.
      if (chained === undefined || chained.seq <= last || !isAsWritten(text, chained)) continue;
      const { seq } = chained;
      if (seq > last + 1 && missing === '') missing = `records ${last + 1} to ${seq - 1}`;
      last = seq;
      const record = withPrincipal(chained as unknown as AnyRecord);
      if (isLasting(record)) note(record);
    }
  }
  return { last, missing };
}

interface AnyRecord {
  readonly type: string;
  /** Earlier versions named a relay here, where there is a principal now. */
  readonly relay?: string;
  readonly principal?: string;
}

function withPrincipal(record: AnyRecord): AnyRecord {
  const { relay, ...same } = record;
  return relay === undefined ? record : { ...same, principal: `relay:${relay}` };
}

const lastingTypes: ReadonlySet<string> = new Set<LastingRecord['type']>([
  'control',
  'host',
  'revocation',
  'credential',
  'person',
  'token',
  'signing-key',
  'grant',
  'link',
  'assignment',
]);

function isLasting(record: { readonly type: string; readonly state?: unknown }): record is LastingRecord {
  // That somebody learned is over with the gateway that let them.
  const isOver = record.type === 'control' && ['learning', 'learned'].includes(String(record.state));
  return lastingTypes.has(record.type) && !isOver;
}
