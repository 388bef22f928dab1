import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { writtenOut } from '../print/streams.ts';
import { tell } from '../print/tell.ts';
import { CliError } from '../reach/cli-error.ts';
import type { Context } from '../reach/context.ts';

/** A question whose whole plan was shown to this user here. */
export interface ShownQuestion {
  readonly id: string;
  readonly planHash: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

const mostShown = 1000;
const mostBytes = 1024 * 1024;
const keptMs = 24 * 60 * 60 * 1000;
const line = /^(\S+) (\S+) (\S+) (\S+)$/;

/** Beside the context, readable only by its user: a verdict counts only for what was shown here. */
export function noteShown(context: Context, questions: readonly ShownQuestion[]): void {
  if (questions.length === 0) return;
  const ids = new Set(questions.map(({ id }) => id));
  const before = readLines(context).filter(
    ([gateway, { id }]) => gateway !== context.gateway || !ids.has(id),
  );
  const all = [...before, ...questions.map((question) => [context.gateway, question] as const)];
  try {
    writeLines(fileOf(context), all.filter(isRecent).slice(-mostShown));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tell(`clawrden: what was shown cannot be noted: ${why}; a verdict will need --hash`);
  }
}

/** The same of what was written to stdout: what a reader could not take ends the command before. */
export async function notePrinted(context: Context, questions: readonly ShownQuestion[]): Promise<void> {
  await writtenOut('');
  noteShown(context, questions);
}

/** Of the questions that were shown, the only one whose id begins with this. Throws a CliError. */
export function shownQuestion(what: string, beginning: string, context: Context): ShownQuestion {
  const shown = readLines(context)
    .filter(([gateway, { id }]) => gateway === context.gateway && id.startsWith(beginning))
    .map(([, question]) => question);
  const [first] = shown;
  if (beginning === '' || first === undefined)
    throw new CliError(
      what,
      `${beginning || 'nothing'} was not shown here`,
      `look at it first: clawrden show ${beginning || 'ID'}`,
    );
  if (shown.length === 1) return first;
  const ids = shown.map(({ id }) => id).join(', ');
  throw new CliError(what, `more than one begins with ${beginning}: ${ids}`, 'give more of its id');
}

type Line = readonly [gateway: string, question: ShownQuestion];

function fileOf({ file }: Context): string {
  return `${file}.shown`;
}

/** By this machine's clock, which may differ from the gateway's: a question that has ended since does no harm. */
function isRecent([, { expiresAt }]: Line): boolean {
  return Date.parse(expiresAt) > Date.now() - keptMs;
}

/** Ignores a file that another user may have written. */
function readLines(context: Context): Line[] {
  const text = readOwn(fileOf(context));
  return text.split('\n').flatMap((each): Line[] => {
    const [, gateway = '', id = '', planHash = '', expiresAt = ''] = line.exec(each) ?? [];
    return id === '' ? [] : [[gateway, { id, planHash, expiresAt }]];
  });
}

function readOwn(file: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const { uid, mode, size } = fstatSync(descriptor);
    const isOwn = uid === process.getuid?.() && (mode & 0o022) === 0 && size <= mostBytes;
    return isOwn ? readFileSync(descriptor, 'utf8') : '';
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the whole file at once, so that two writers never mix. */
function writeLines(file: string, lines: readonly Line[]): void {
  const text = lines.map(
    ([gateway, { id, planHash, expiresAt }]) => `${gateway} ${id} ${planHash} ${expiresAt}\n`,
  );
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(fresh, text.join(''), { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}
