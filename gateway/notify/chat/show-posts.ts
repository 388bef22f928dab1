import { consentText, doorsOf } from '../../../src/policy/rules/consent.ts';
import { planLines } from '../../../src/text/describe-plan.ts';
import { quoteText, renderArgv, renderText } from '../../../src/text/render-text.ts';
import type { ChatPostRow } from '../../store/chat-post-rows.ts';
import { buttonData } from './button.ts';
import type { ChatMessage, ChatPart } from './chat-room.ts';
import type { KeptEnd, KeptNote, KeptQuestion } from './kept-post.ts';
import { firstWords, shortPlan } from './short-plan.ts';

export interface Showing {
  /** Where a person answers; empty if that is not known. */
  readonly link: (approval: string) => string;
  readonly textAtMost: number;
}

interface Shown {
  readonly question: KeptQuestion;
  readonly end: KeptEnd | undefined;
}

/** Of a message: all but the plan, at most. */
const frameCharacters = 1_000;
const shortCharacters = 160;
const wordCharacters = 300;

/** What one message shows: one question whole, or several in short, or notes. */
export function showPosts(rows: readonly ChatPostRow[], showing: Showing): ChatMessage {
  const questions = rows.flatMap((row) => (row.kind === 'question' ? [shownOf(row)] : []));
  const [first] = questions;
  if (first === undefined) return { parts: rows.flatMap((row) => noteParts(row, showing)), buttons: [] };
  if (questions.length > 1) return { parts: listParts(questions, showing), buttons: [] };
  return first.end === undefined ? whole(first.question, showing) : endedMessage(first.question, first.end);
}

function shownOf({ body, ended }: ChatPostRow): Shown {
  // This program wrote both.
  const end = ended === '' ? undefined : (JSON.parse(ended) as KeptEnd);
  return { question: JSON.parse(body) as KeptQuestion, end };
}

function whole(question: KeptQuestion, showing: Showing): ChatMessage {
  const { agent, rule, reason, caller, consent, expiresAt, isMasked, escalated, yeses = [] } = question;
  const until = new Date(expiresAt).toISOString().replace('T', ' ').slice(0, 16);
  const most = showing.textAtMost - frameCharacters;
  const { shown, left: more } = shortPlan(question.plan, most);
  const left = more + (question.left ?? 0);
  const lines = planLines(JSON.stringify(shown)).map(({ name, text, notes }) =>
    [name.padEnd(11), text, ...notes.map((note) => `  <- ${note}`)].join(' '),
  );
  const plan = cut(lines.join('\n'), most, left);
  const isWhole = !plan.isCut && !isMasked;
  const parts: ChatPart[] = [
    title(
      escalated
        ? `Nobody has answered: a command of ${agent} waits`
        : `A command of ${agent} waits for an answer`,
    ),
    plain(`It needs ${short(consentText(consent), wordCharacters)}, until ${until} UTC.`),
    ...(yeses.length === 0
      ? []
      : [plain(`Yes so far: ${short(renderText(yeses.join(', ')), wordCharacters)}.`)]),
    code(
      `rule ${renderText(rule)}: ${short(quoteText(reason), wordCharacters)}\nasked by ${renderText(caller)}`,
    ),
    code(plan.text),
    ...(isWhole ? [] : [plain(notWhole(plan.isCut))]),
    ...linkParts(question.id, showing),
  ];
  return { parts, buttons: buttonsOf(question, isWhole) };
}

function notWhole(isCut: boolean): string {
  const why = isCut ? 'The plan is longer than a message' : 'What looks like a credential is masked';
  return `${why}: it is approved at a door that shows it whole.`;
}

/** A person says yes only to what stands there whole. */
function buttonsOf({ id, codes, consent }: KeptQuestion, isWhole: boolean): ChatMessage['buttons'] {
  if (codes === undefined || !doorsOf(consent).includes('chat')) return [];
  const deny = { label: 'Deny', data: buttonData('denied', id, codes) } as const;
  return isWhole ? [{ label: 'Approve', data: buttonData('approved', id, codes) }, deny] : [deny];
}

function endedMessage(question: KeptQuestion, end: KeptEnd): ChatMessage {
  const parts = [
    title(`${endText(end)}: a command of ${question.agent}`),
    ...(end.reason === '' ? [] : [code(short(quoteText(end.reason), wordCharacters))]),
    code(commandOf(question)),
  ];
  return { parts, buttons: [] };
}

function listParts(shown: readonly Shown[], showing: Showing): ChatPart[] {
  const waiting = shown.filter(({ end }) => end === undefined).length;
  const line = ({ question, end }: Shown) =>
    `${question.agent}: ${commandOf(question)}${end === undefined ? '' : `  [${endText(end)}]`}`;
  const parts = shown.flatMap((each) => [
    code(line(each)),
    ...(each.end === undefined ? linkParts(each.question.id, showing) : []),
  ]);
  return [title(`${waiting} of ${shown.length} commands wait for an answer`), ...parts];
}

function noteParts({ body }: ChatPostRow, showing: Showing): ChatPart[] {
  const { title: said, words, approval } = JSON.parse(body) as KeptNote;
  return [
    title(renderText(said)),
    ...(words === '' ? [] : [code(short(quoteText(words), wordCharacters))]),
    ...(approval === '' ? [] : linkParts(approval, showing)),
  ];
}

function endText({ state, by, via }: KeptEnd): string {
  if (state === 'expired') return 'Expired, nobody answered';
  if (state === 'void') return 'Void, nobody waits for it';
  return `${state === 'approved' ? 'Approved' : 'Denied'} by ${short(renderText(by), 100)} (${renderText(via)})`;
}

function linkParts(approval: string, { link }: Showing): ChatPart[] {
  const to = link(approval);
  return to === '' ? [plain(`clawrden approve ${approval}`)] : [{ kind: 'link', text: to }];
}

function commandOf({ plan, left = 0 }: KeptQuestion): string {
  const { shown, left: more } = firstWords(plan.argv, shortCharacters);
  return short(renderArgv(shown), shortCharacters, more === 0 ? 0 : more + left);
}

/** `left`: so many more characters are not in `full`. */
function cut(full: string, most: number, left: number): { readonly text: string; readonly isCut: boolean } {
  if (full.length <= most && left === 0) return { text: full, isCut: false };
  const more = Math.max(0, full.length - most) + left;
  return { text: `${full.slice(0, most)}\n[... ${more} more characters]`, isCut: true };
}

function short(full: string, most: number, left = 0): string {
  if (full.length <= most && left === 0) return full;
  return `${full.slice(0, most)} [... ${Math.max(0, full.length - most) + left} more]`;
}

function title(said: string): ChatPart {
  return { kind: 'title', text: said };
}

function plain(said: string): ChatPart {
  return { kind: 'text', text: said };
}

function code(said: string): ChatPart {
  return { kind: 'code', text: said };
}
