import { randomBytes } from 'node:crypto';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CredentialRecord } from '../audit/principal-records.ts';
import { createCallBudget } from '../connections/call-budget.ts';
import { createWrongTries } from '../connections/wrong-tries.ts';
import type { BrowserSessions, OpenedSession, SignInCodes } from '../ports/browser-sessions.ts';
import type { TokenAdmission } from '../ports/known-principals.ts';
import { principalName } from '../ports/principal.ts';
import { type Lifetime, lifetime } from '../principals/lifetime.ts';
import { digestOf } from '../principals/token-text.ts';
import { newSecret } from './secret.ts';

export interface SignInCodesParts {
  readonly sessions: Pick<BrowserSessions, 'open'>;
  readonly record: AuditLog['append'];
  readonly tries?: ReturnType<typeof createWrongTries>;
  /** How long a code works. */
  readonly lifeMs?: number;
}

/** Each code is a record of the audit. */
const rate = { atOnce: 10, perSecond: 0.2 };
const codesPerPrincipal = 5;
export const codeLifeMs = 60_000;

interface Code {
  readonly id: string;
  readonly admission: TokenAdmission;
  readonly life: Lifetime;
}

export function createSignInCodes({
  sessions,
  record,
  tries = createWrongTries(),
  lifeMs = codeLifeMs,
}: SignInCodesParts): SignInCodes {
  // By digest, the oldest first.
  const codes = new Map<string, Code>();
  const budget = createCallBudget('sign-in codes', rate);

  function makeRoom(principal: string): void {
    for (const [digest, { life }] of codes) if (life.isOver()) codes.delete(digest);
    const own = [...codes].filter(([, { admission }]) => principalName(admission.value) === principal);
    const first = own.length < codesPerPrincipal ? undefined : own[0];
    if (first !== undefined) codes.delete(first[0]);
  }

  /** The code, which nobody else can take any more. */
  function take(text: string): Code | undefined {
    const digest = digestOf(text);
    const code = codes.get(digest);
    codes.delete(digest);
    return code === undefined || code.life.isOver() ? undefined : code;
  }

  return {
    create: async ({ check }) => {
      const checked = check();
      if ('refused' in checked) return checked;
      const principal = principalName(checked.value);
      budget.charge(principal);
      const [text, id, until] = [newSecret(), randomBytes(8).toString('hex'), Date.now() + lifeMs];
      await record(recordOf(principal, id, until));
      makeRoom(principal);
      const admission = { value: checked.value, check };
      codes.set(digestOf(text), { id, admission, life: lifetime(until) });
      return { value: { code: text, expiresAt: new Date(until) } };
    },
    redeem: async (text, from, held) => {
      const waitMs = tries.waitMs(from);
      if (waitMs > 0) return { refused: 'too many wrong sign-in codes came from this address', waitMs };
      const code = take(text);
      const refused = code === undefined ? notValid : refusalOf(code);
      if (code === undefined || refused !== undefined) {
        tries.note(from);
        return { refused: refused ?? notValid, waitMs: 0 };
      }
      const isOf = principalName(code.admission.value);
      if (held !== undefined && held !== isOf) return { isOf };
      return { value: await open(code, from, sessions) };
    },
  };
}

const notValid = 'the sign-in code is not valid; clawrden dashboard makes another one';

function refusalOf({ admission }: Code): string | undefined {
  const checked = admission.check();
  return 'refused' in checked ? checked.refused : undefined;
}

function open(
  { id, admission }: Code,
  from: string,
  sessions: SignInCodesParts['sessions'],
): Promise<OpenedSession> {
  return sessions.open({ admission, by: `code:${id}`, from });
}

function recordOf(principal: string, id: string, until: number): CredentialRecord {
  return {
    ...{ type: 'credential', credential: 'sign-in-code', principal, agents: [], by: principal, from: '' },
    ...{ id, fingerprint: '', until: new Date(until).toISOString() },
  };
}
