import type { Database } from './database.ts';

/** The valid enrolment tokens: a token counts only while its row is here. */
export interface EnrolmentTokens {
  /** Whether any token is valid. */
  readonly areOut: () => boolean;
  /** On the disk when it resolves. `expiresAt` is in epoch milliseconds. */
  readonly add: (id: string, expiresAt: number) => Promise<void>;
  /**
   * Uses up the token and records the certificate for which it is used, in one step: when it resolves, both are on
   * the disk, or neither.
   */
  readonly use: (use: TokenUse) => Promise<'used' | 'not-out' | 'revoked'>;
}

export interface TokenUse {
  readonly id: string;
  readonly relay: string;
  /** How often the relay had been revoked when the token was made. */
  readonly epoch: number;
  readonly fingerprint: string;
}

const nameBegin = 'token:';

/** The name of a token as what let a relay in, in the audit. */
export function tokenName(id: string): string {
  return `${nameBegin}${id}`;
}

export function tokenOfName(name: string): string | undefined {
  return name.startsWith(nameBegin) ? name.slice(nameBegin.length) : undefined;
}

export async function openEnrolmentTokens(database: Database): Promise<EnrolmentTokens> {
  const rows = await database.selectFrom('enrolment_tokens').selectAll().execute();
  const out = new Map(rows.map(({ id, expires_at }) => [id, expires_at]));
  const tidy = (): void => {
    for (const [id, expiresAt] of out) if (expiresAt < Date.now()) out.delete(id);
  };
  return {
    areOut: () => {
      tidy();
      return out.size > 0;
    },
    add: async (id, expiresAt) => {
      await database.deleteFrom('enrolment_tokens').where('expires_at', '<', Date.now()).execute();
      await database.insertInto('enrolment_tokens').values({ id, expires_at: expiresAt }).execute();
      out.set(id, expiresAt);
    },
    use: async (use) => {
      const result = await useUp(database, use);
      if (result !== 'revoked') out.delete(use.id);
      return result;
    },
  };
}

function useUp(
  database: Database,
  { id, relay, epoch, fingerprint }: TokenUse,
): Promise<'used' | 'not-out' | 'revoked'> {
  return database.transaction().execute(async (step) => {
    if ((await epochOf(step, relay)) !== epoch) return 'revoked';
    const { numDeletedRows } = await step
      .deleteFrom('enrolment_tokens')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows !== 1n) return 'not-out';
    await recordCertificate(step, { relay, epoch, fingerprint });
    return 'used';
  });
}

/** How often a relay was revoked. */
export async function epochOf(database: Database, relay: string): Promise<number> {
  const row = await database
    .selectFrom('revoked_relays')
    .select('epoch')
    .where('relay', '=', relay)
    .executeTakeFirst();
  return row?.epoch ?? 0;
}

/** If a relay was never revoked, every certificate of it counts and only its name is recorded. */
export async function recordCertificate(
  database: Database,
  row: { relay: string; epoch: number; fingerprint: string },
): Promise<void> {
  await keepEnrolled(database, row.relay);
  if (row.epoch === 0) return;
  await database.insertInto('reissued_certificates').values(row).execute();
}

/** Notes that the relay holds a certificate, or held one. */
export async function keepEnrolled(database: Database, relay: string): Promise<void> {
  await database
    .insertInto('enrolled_relays')
    .values({ relay })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function wasEnrolled(database: Database, relay: string): Promise<boolean> {
  const row = await database
    .selectFrom('enrolled_relays')
    .select('relay')
    .where('relay', '=', relay)
    .executeTakeFirst();
  return row !== undefined;
}
