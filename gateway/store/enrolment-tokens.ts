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
  readonly principal: string;
  /** How often the principal had been revoked when the token was made. */
  readonly epoch: number;
  readonly fingerprint: string;
}

const nameBegin = 'token:';

/** The name of a token as what let a principal in, in the audit. */
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
  { id, principal, epoch, fingerprint }: TokenUse,
): Promise<'used' | 'not-out' | 'revoked'> {
  return database.transaction().execute(async (step) => {
    if ((await epochOf(step, principal)) !== epoch) return 'revoked';
    const { numDeletedRows } = await step
      .deleteFrom('enrolment_tokens')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows !== 1n) return 'not-out';
    await recordCertificate(step, { principal, epoch, fingerprint });
    return 'used';
  });
}

/** How often a principal was revoked. */
export async function epochOf(database: Database, principal: string): Promise<number> {
  const row = await database
    .selectFrom('revocations')
    .select('epoch')
    .where('principal', '=', principal)
    .executeTakeFirst();
  return row?.epoch ?? 0;
}

/** If a principal was never revoked, every certificate of it counts and only its name is recorded. */
export async function recordCertificate(
  database: Database,
  row: { principal: string; epoch: number; fingerprint: string },
): Promise<void> {
  await keepEnrolled(database, row.principal);
  if (row.epoch === 0) return;
  await database.insertInto('later_certificates').values(row).execute();
}

/** Notes that the principal holds a certificate, or held one. */
export async function keepEnrolled(database: Database, principal: string): Promise<void> {
  await database
    .insertInto('enrolled')
    .values({ principal })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function wasEnrolled(database: Database, principal: string): Promise<boolean> {
  const row = await database
    .selectFrom('enrolled')
    .select('principal')
    .where('principal', '=', principal)
    .executeTakeFirst();
  return row !== undefined;
}
