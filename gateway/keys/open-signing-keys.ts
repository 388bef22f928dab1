import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { keyHandedOverTo, keyOfText, keyText } from '../../src/audit/hand-over.ts';
import { handOverIn, handOverMark } from '../../src/audit/key-chain.ts';
import { readLines } from '../../src/audit/read-lines.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import type { Database } from '../store/database.ts';
import type { SigningKeyRow } from '../store/principal-rows.ts';
import { keepSigningKey, signingKeys } from '../store/signing-keys.ts';
import { nextKeyFile } from './key-files.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';

/** What a rotation that was cut off left: a key that has no name of its own yet. */
export interface CutOff {
  /** Signs from now on: the audit says so, if it got that far. */
  readonly present: KeyObject;
  /** What the database may lack. */
  readonly row?: SigningKeyRow;
}

/**
 * Before the audit is opened, so that nothing is signed with a key that has handed over: whether a rotation was cut
 * off, and behind which step. The record in the audit decides.
 */
export async function findCutOff(folder: string, audit: string, key: KeyObject): Promise<CutOff> {
  const file = nextKeyFile(folder);
  const next = await file.read();
  if (next === undefined) return { present: key };
  const row = await rowFor(keyText(next), audit);
  if (row !== undefined) return { present: next, row };
  await file.drop();
  return { present: key };
}

/** Once the database has what the audit has. Throws a line for people if the key's file is an older one. */
export async function openSigningKeys(
  folder: string,
  { present, row }: CutOff,
  database: Database,
): Promise<KeyRing> {
  if (row !== undefined) await keepSigningKey(database, row);
  const ring = createKeyRing(present);
  const chain = await signingKeys(database);
  const [newest] = chain;
  if (newest !== undefined && newest.key !== keyText(present)) throw new Error(otherKey(folder, newest));
  if (row !== undefined) await nextKeyFile(folder).take();
  let until = Number.POSITIVE_INFINITY;
  for (const { former, former_until } of chain) {
    until = Math.min(until, former_until);
    const key = keyOfText(former);
    if (key !== undefined && until > Date.now()) ring.remember(key, until);
  }
  return ring;
}

/** What the audit has and the database lacks. Only what both keys signed counts. */
export async function keepHandOver(database: Database, record: object): Promise<void> {
  const { hash: _, ...body } = record as Record<string, unknown>;
  if (keyHandedOverTo(body, undefined) !== undefined) await keepSigningKey(database, signingKeyRow(body));
}

/** The record that hands over to this key. */
async function rowFor(key: string, audit: string): Promise<SigningKeyRow | undefined> {
  for (const part of (await auditFiles(audit)).reverse()) {
    for await (const { text } of readLines(part)) {
      const record = text.includes(handOverMark) ? handOverIn(text) : undefined;
      if (record?.key === key && keyHandedOverTo(record, undefined) === key) return signingKeyRow(record);
    }
  }
  return undefined;
}

/** Of a record as it stands in the audit. */
function signingKeyRow(record: Readonly<Record<string, unknown>>): SigningKeyRow {
  const text = (name: string) => String(record[name]);
  return {
    key: text('key'),
    former: text('former'),
    former_until: Date.parse(text('formerUntil')),
    set_by: text('by'),
    set_at: Date.parse(text('time')),
  };
}

function otherKey(folder: string, { set_at, set_by }: SigningKeyRow): string {
  const file = join(folder, stateFiles.signingKey);
  const since = `${new Date(set_at).toISOString()}, when ${set_by} rotated it`;
  return `${file}: it is not the key that signs since ${since}; restore it from a backup of the state folder that is younger than that`;
}
