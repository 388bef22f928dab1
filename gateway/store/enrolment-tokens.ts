import type { Database } from './database.ts';

/** The valid enrolment tokens: a token counts only while its row is here, for one key. */
export interface EnrolmentTokens {
  /** Whether any token is valid; one that was used is so for who used it. */
  readonly areOut: () => boolean;
  /** On the disk when it resolves. `expiresAt` is in epoch milliseconds. */
  readonly add: (id: string, expiresAt: number) => Promise<void>;
  /**
   * Uses up the token and records the certificate for which it is used, in one step: when it resolves, both are on
   * the disk, or neither. Whose answer was lost asks again with the same key, and the certificate is that of then.
   */
  readonly use: (use: TokenUse) => Promise<{ readonly certificate: string } | 'not-out' | 'revoked'>;
  /** The audit has an answer: there are ten of each token. */
  readonly answered: (id: string) => Promise<void>;
}

export interface TokenUse {
  readonly id: string;
  readonly principal: string;
  /** How often the principal had been revoked when the token was made. */
  readonly epoch: number;
  readonly fingerprint: string;
  /** PEM. */
  readonly certificate: string;
  /** What the certificate is for: a digest of the public key. */
  readonly key: string;
}

/** Each answer is a record of the audit. */
const mostAnswers = 10;
const unused = { used_by: '', certificate: '', answers: 0 };

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
      await database
        .insertInto('enrolment_tokens')
        .values({ ...unused, id, expires_at: expiresAt })
        .execute();
      out.set(id, expiresAt);
    },
    use: (use) => useUp(database, use),
    answered: async (id) => {
      await database
        .updateTable('enrolment_tokens')
        .set((row) => ({ answers: row('answers', '+', 1) }))
        .where('id', '=', id)
        .execute();
    },
  };
}

function useUp(database: Database, use: TokenUse): ReturnType<EnrolmentTokens['use']> {
  const { id, principal, epoch, fingerprint, certificate, key } = use;
  return database.transaction().execute(async (step) => {
    if ((await epochOf(step, principal)) !== epoch) return 'revoked';
    const tokens = step.selectFrom('enrolment_tokens').selectAll().where('id', '=', id);
    const row = await tokens.executeTakeFirst();
    const isUnused = row?.used_by === '';
    if (row === undefined || row.answers >= mostAnswers || !(isUnused || row.used_by === key))
      return 'not-out';
    if (!isUnused) return { certificate: row.certificate };
    const taken = { used_by: key, certificate };
    await step.updateTable('enrolment_tokens').set(taken).where('id', '=', id).execute();
    await recordCertificate(step, { principal, epoch, fingerprint });
    return { certificate };
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
