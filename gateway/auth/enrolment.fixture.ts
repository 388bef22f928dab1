import { generateKeyPairSync } from 'node:crypto';
import { ClawrdenError } from '../../src/errors.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import { openRevocations } from '../control/revocations.ts';
import { createAuthorities } from '../keys/authorities.ts';
import { createKeyRing } from '../keys/key-ring.ts';
import type { KnownPerson } from '../ports/known-principals.ts';
import type { KnownProgram } from '../principals/api-tokens.ts';
import { openDatabase } from '../store/database.ts';
import { openEnrolmentTokens } from '../store/enrolment-tokens.ts';
import { createEnrolment } from './create-enrolment.ts';

export const authority = await makeAuthority('Test CA');
export const signingKey = generateKeyPairSync('ed25519').privateKey;
const authorities = createAuthorities({ authority, server: authority });
export const identity = { gatewayId: 'gw-1', keys: createKeyRing(signingKey), authorities };

/** As main.ts makes it, on a database of its own. */
export async function enrolment(
  agents: Record<string, string[]> = { 'host-7': ['coder', 'tester'] },
  key = signingKey,
  own = authorities,
) {
  const database = await openDatabase(':memory:', 'crash');
  const records: AuditRecord[] = [];
  const disk = { isFull: false };
  const append = async (record: AuditRecord) => {
    if (disk.isFull) throw new ClawrdenError('audit-unwritable', 'no room');
    records.push(record);
  };
  const audit = { append } as unknown as AuditLog;
  const revocations = await openRevocations(database, audit);
  const tokens = await openEnrolmentTokens(database);
  const agentsOf = (relay: string) => agents[relay] ?? [];
  const known = new Map<string, KnownPerson>();
  const people = { noteLetIn: async () => {} };
  const findPerson = (name: string) => known.get(name);
  const signing = { ...identity, keys: createKeyRing(key), authorities: own };
  const programs = new Map<string, KnownProgram>();
  const apiTokens = { programOf: (name: string) => programs.get(name) };
  const options = { identity: signing, agentsOf, people, findPerson, apiTokens, tokens, revocations, audit };
  return { ...createEnrolment(options), revocations, database, records, disk, known, programs };
}
