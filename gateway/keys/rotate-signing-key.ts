import { createPublicKey, type KeyObject } from 'node:crypto';
import { handOverType, keyText } from '../../src/audit/hand-over.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { createInTurn } from '../../src/in-turn.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { SigningKeyRecord } from '../audit/audit-record.ts';
import { faultOf, recordedFirst } from '../control/lasting-change.ts';
import { principalName } from '../ports/principal.ts';
import type { NewSigningKey, Rotations } from '../ports/rotations.ts';

import type { Database } from '../store/database.ts';
import type { SigningKeyRow } from '../store/principal-rows.ts';
import { keepSigningKey } from '../store/signing-keys.ts';
import { type NextKeyFile, nextKeyFile } from './key-files.ts';
import type { KeyRing } from './key-ring.ts';

export interface KeyRotationParts {
  /** The state folder. */
  readonly folder: string;
  readonly keys: KeyRing;
  readonly audit: Pick<AuditLog, 'handOver' | 'unkept'>;
  readonly database: Database;
}

const formersAtMost = 8;

/**
 * In this order: the next key in a file of its own; the record that both keys sign, from which on it signs; the
 * database; the name of the file. A start takes up whatever was done last (`findCutOff`).
 */
export function createRotateSigningKey(parts: KeyRotationParts): Rotations['signingKey'] {
  const { keys, folder } = parts;
  const file = nextKeyFile(folder);
  const inTurn = createInTurn();
  /** In the audit, and not in the database and the key's file yet. */
  let due: SigningKeyRow | undefined;

  async function finish(): Promise<void> {
    if (due === undefined) return;
    await keepSigningKey(parts.database, due);
    await file.take();
    due = undefined;
  }

  return ({ overlapMs, reason }, caller) =>
    inTurn(async () => {
      const unfinished = await faultOf(finish());
      if (unfinished !== undefined) return { refused: `the last rotation is not finished: ${unfinished}` };
      if (keys.formers() >= formersAtMost)
        return { refused: `${formersAtMost} former keys still count; rotate again when one of them ended` };
      const next = await nextKey(file);
      const until = Date.now() + overlapMs;
      due = await handOver(next, { until, by: principalName(caller), reason }, parts);
      const unkept = await faultOf(finish());
      if (unkept !== undefined) {
        parts.audit.unkept();
        throw new ClawrdenError(
          'audit-unwritable',
          `it is in force, and a restart takes it from the audit: ${unkept}`,
        );
      }
      return { value: toNewKey(next, until) };
    });
}

/** One that an earlier try left is used, because its record may be in the audit although that try failed. */
async function nextKey(file: NextKeyFile): Promise<KeyObject> {
  try {
    return await file.make();
  } catch (error) {
    throw new ClawrdenError('audit-unwritable', `nothing has changed: ${(error as Error).message}`);
  }
}

interface Wanted {
  readonly until: number;
  readonly by: string;
  readonly reason: string;
}

async function handOver(
  next: KeyObject,
  { until, by, reason }: Wanted,
  { keys, audit }: KeyRotationParts,
): Promise<SigningKeyRow> {
  const [key, former] = [keyText(next), keyText(keys.present())];
  const formerUntil = new Date(until).toISOString();
  const record: SigningKeyRecord = { type: handOverType, key, former, formerUntil, by, reason };
  await recordedFirst(audit.handOver({ key: next, record, taken: () => keys.take(next, until) }));
  return { key, former, former_until: until, set_by: by, set_at: Date.now() };
}

function toNewKey(key: KeyObject, formerUntil: number): NewSigningKey {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  return { publicKey, formerUntil };
}
