import { ClawrdenError } from '../../src/errors.ts';
import { createInTurn } from '../../src/in-turn.ts';
import { endingAuthority } from '../../src/pki/authority.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuthorityRecord } from '../audit/audit-record.ts';
import { faultOf, recordedFirst } from '../control/lasting-change.ts';
import { principalName } from '../ports/principal.ts';
import type { Rotations } from '../ports/rotations.ts';
import { type AuthorityPair, createAuthorities, type RotatedAuthorities } from './authorities.ts';
import {
  commitAuthority,
  dropStagedAuthority,
  type NextAuthority,
  readNextAuthority,
  stageAuthority,
  takeAuthority,
} from './authority-files.ts';
import { makeAuthorityPair } from './make-authority-pair.ts';
import type { Unmoved } from './unmoved.ts';

export interface AuthorityParts {
  /** The state folder. */
  readonly folder: string;
  readonly gatewayId: string;
  readonly first: AuthorityPair;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly unmoved: Unmoved;
}

/** The authorities of a gateway, which an admin rotates. */
export interface LiveAuthorities {
  readonly authorities: RotatedAuthorities;
  readonly rotate: Rotations['authority'];
  /** Empty, or what a person should know of a rotation that is under way. */
  readonly warnings: () => string[];
  readonly [Symbol.dispose]: () => void;
}

const lookMs = 500;
/** The doors show the former authority's certificate until the first look behind the stated moment. */
const spareMs = 1000;
const namedAtMost = 8;

export async function openAuthorities(parts: AuthorityParts): Promise<LiveAuthorities> {
  const { folder, first, audit, unmoved } = parts;
  const authorities = createAuthorities(first);
  const next = readNextAuthority(folder);
  if (next !== undefined) authorities.follow(next);
  if (dropStagedAuthority(folder))
    await audit.append({ ...emptyRecord, event: 'withdrawn', reason: 'the rotation was cut off' });
  let problem = '';
  let isDue = false;
  const inTurn = createInTurn();
  const look = async () => {
    if (authorities.letGo()) isDue = true;
    if (!isDue) return;
    problem = (await faultOf(letGo(parts, authorities))) ?? '';
    isDue = problem !== '';
  };
  const failed = (error: Error) => {
    problem = error.message;
  };
  const timer = setInterval(() => void inTurn(look).catch(failed), lookMs).unref();
  return {
    authorities,
    rotate: (wanted, by) => inTurn(() => rotate(wanted, principalName(by), { ...parts, authorities })),
    warnings: () => [
      ...(problem === ''
        ? []
        : [`the former authority has stopped, and its files are there still: ${problem}`]),
      ...underWay(authorities.formerUntil(), unmoved.names()),
    ],
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** The former one counts no more: the files say so, too. */
async function letGo(
  { folder, unmoved, audit }: AuthorityParts,
  { present }: RotatedAuthorities,
): Promise<void> {
  takeAuthority(folder);
  await unmoved.end();
  const fingerprint = fingerprintOfPem(present().certificate);
  await audit.append({ ...emptyRecord, event: 'stopped', fingerprint });
}

const emptyRecord: AuthorityRecord = {
  ...{ type: 'authority', event: 'withdrawn', fingerprint: '', former: '' },
  ...{ formerUntil: '', by: '', reason: '' },
};

async function rotate(
  { overlapMs, reason }: Parameters<Rotations['authority']>[0],
  by: string,
  { folder, gatewayId, audit, unmoved, authorities }: AuthorityParts & { authorities: RotatedAuthorities },
): ReturnType<Rotations['authority']> {
  const until = authorities.formerUntil();
  if (until !== undefined)
    return { refused: `a rotation is under way until ${new Date(until).toISOString()}; rotate again then` };
  const present = { authority: authorities.present(), server: authorities.server() };
  const pair = await makeAuthorityPair(gatewayId, present);
  const formerUntil = Date.now() + overlapMs;
  const former = await endingAuthority(present.authority, new Date(nextSecond(formerUntil + spareMs)));
  const next: NextAuthority = { ...pair, formerUntil, former };
  const fingerprint = fingerprintOfPem(pair.authority.certificate);
  const record: AuthorityRecord = {
    ...{ type: 'authority', event: 'rotated', fingerprint, by, reason },
    former: fingerprintOfPem(present.authority.certificate),
    formerUntil: new Date(formerUntil).toISOString(),
  };
  await orNothing(stageAuthority(folder, next));
  await recordedFirst(audit.append(record));
  const fault = await faultOf(unmoved.begin().then(() => commitAuthority(folder)));
  if (fault !== undefined) {
    await faultOf(audit.append({ ...record, event: 'withdrawn' }));
    throw new ClawrdenError(
      'audit-unwritable',
      `nothing has changed, although the audit has a record of it: ${fault}`,
    );
  }
  authorities.follow(next);
  return { value: { fingerprint, formerUntil } };
}

/** A certificate knows whole seconds, and leaves out the rest. */
function nextSecond(time: number): number {
  return Math.ceil(time / 1000) * 1000;
}

async function orNothing(work: Promise<void>): Promise<void> {
  const fault = await faultOf(work);
  if (fault !== undefined) throw new ClawrdenError('audit-unwritable', `nothing has changed: ${fault}`);
}

function underWay(until: number | undefined, names: readonly string[]): string[] {
  if (until === undefined) return [];
  const more = names.length > namedAtMost ? ` and ${names.length - namedAtMost} more` : '';
  const who =
    names.length === 0
      ? 'everybody has moved'
      : `not moved yet: ${names.slice(0, namedAtMost).join(', ')}${more}`;
  return [`the former certificate authority counts until ${new Date(until).toISOString()}; ${who}`];
}
