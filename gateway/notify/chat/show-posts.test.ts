import fc from 'fast-check';
import { expect, it } from 'vitest';
import { usualDoors } from '../../../src/policy/policy.ts';
import type { PendingApproval } from '../../ports/verdict.ts';
import type { ChatPostRow } from '../../store/chat-post-rows.ts';
import { slackMessage } from '../slack/slack-message.ts';
import { telegramMessage } from '../telegram/telegram-message.ts';
import { buttonData, newCodes, readButton } from './button.ts';
import type { ChatMessage } from './chat-room.ts';
import { toPost } from './kept-post.ts';
import { plan } from './plan.fixture.ts';
import { showPosts } from './show-posts.ts';

const id = '0123456789abcdef0123456789abcdef';
const planHash = 'c0ffee'.padEnd(64, '7');
const codes = newCodes();

function row(argv: readonly string[], more: object = {}, ended: object | '' = ''): ChatPostRow {
  const consent = { approvals: 1, role: 'approver', answerIn: [...usualDoors, 'chat'] };
  const question = {
    ...{
      id,
      escalated: false,
      agent: 'coder',
      caller: 'relay:h',
      rule: 'r',
      reason: argv.join(''),
      planHash,
    },
    ...{ codes, plan: { ...plan, argv }, isMasked: false, consent, expiresAt: 0, ...more },
  };
  return {
    ...{ row: 1, chat: 'ops', id: `question/${id}`, agent: 'coder', kind: 'question', approval: id },
    ...{ bytes: 0, message: '' },
    ...{ body: JSON.stringify(question), ended: ended === '' ? '' : JSON.stringify(ended) },
    ...{ revision: 1, shown: 0, made_at: 0, due_since: 0, next_at: 0, tries: 0 },
  };
}

const showing = { link: (approval: string) => `https://w.example/a/${approval}`, textAtMost: 4000 };
const labels = ({ buttons }: ChatMessage) => buttons.map(({ label }) => label);
const everything = ({ parts }: ChatMessage) => parts.map(({ text }) => text).join('\n');

it('A-170: a button holds answer, approval and a code of its own in 63 characters; no other answer or question has that code', () => {
  const data = buttonData('approved', id, codes);
  expect(data).toHaveLength(63);
  expect(readButton(data)).toMatchObject({ verdict: 'approved', id });
  expect(readButton(data)?.isOf(codes)).toBe(true);
  expect(readButton(data)?.isOf(newCodes())).toBe(false);
  expect(readButton(`d${data.slice(1)}`)?.isOf(codes)).toBe(false);
  const deny = buttonData('denied', id, codes);
  expect(readButton(deny)?.verdict).toBe('denied');
  expect(readButton(`a${deny.slice(1)}`)?.isOf(codes)).toBe(false);
  for (const wrong of ['', data.slice(1), `x${data.slice(1)}`, `${data}A`, data.replace(/.$/, '\n')])
    expect(readButton(wrong)).toBeUndefined();
});

it('Approve is there only with the whole plan, buttons only if the rule names the chat and the question waits', () => {
  expect(labels(showPosts([row(['npm'])], showing))).toEqual(['Approve', 'Deny']);
  expect(labels(showPosts([row(['npm', 'x'.repeat(4000)])], showing))).toEqual(['Deny']);
  expect(labels(showPosts([row(['npm'], { isMasked: true })], showing))).toEqual(['Deny']);
  expect(labels(showPosts([row(['npm'], { codes: undefined })], showing))).toEqual([]);
  const consent = { approvals: 1, role: 'approver' };
  expect(labels(showPosts([row(['npm'], { consent })], showing))).toEqual([]);
  const end = { state: 'void', by: '', via: '', reason: '' };
  expect(labels(showPosts([row(['npm'], {}, end)], showing))).toEqual([]);
  expect(labels(showPosts([row(['npm']), row(['npm'])], showing))).toEqual([]);
});

it('A-47: two plans never have the same message; every message is printable ASCII within the limits', () => {
  const words = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u202E', '\n', ' ', '"', '\\', '`')),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  const messageOf = (argv: readonly string[]) => showPosts([row(argv, { reason: 'same' })], showing);
  fc.assert(
    fc.property(words, words, (one, other) => {
      const [first, second] = [everything(messageOf(one)), everything(messageOf(other))];
      expect(first === second).toBe(JSON.stringify(one) === JSON.stringify(other));
      expect(first).toMatch(/^[\x20-\x7e\n]+$/);
    }),
    { numRuns: 50 },
  );
  for (const argv of [['x'.repeat(100_000)], Array.from({ length: 3000 }, () => '\u202E')])
    for (const rows of [[row(argv)], Array.from({ length: 10 }, () => row(argv))])
      expect(everything(showPosts(rows, showing)).length).toBeLessThan(4096);
});

it('A-348 P20: of a long plan a chat keeps what its message shows, and shows the same', () => {
  const { textAtMost } = showing;
  const ten = Array.from({ length: 3000 }, (_, at) => `word-${at}`);
  for (const more of [
    { argv: ten },
    { argv: ['x'.repeat(60_000)] },
    { argv: ['x'], env: ten },
    { argv: ['x'] },
  ]) {
    const whole = { ...plan, ...more };
    const question = JSON.parse(row([]).body) as PendingApproval;
    const masked = () => ({ plan: whole, isMasked: false });
    const post = toPost(
      { event: 'question', id: 'q', at: 0, question: { ...question, yeses: [] }, masked },
      textAtMost,
    );
    const body = post?.body ?? '';
    expect(body.length).toBeLessThan(4 * textAtMost);
    const shown = { ...row([]), body };
    const { codes: own } = JSON.parse(body) as { codes: object };
    const before = row([], { ...question, plan: whole, codes: own });
    expect(showPosts([shown], showing)).toEqual(showPosts([before], showing));
    expect(showPosts([shown, shown], showing)).toEqual(showPosts([before, before], showing));
  }
});

it('A-67: what an agent, a policy or a person wrote is code, in every kind of message; Slack and Telegram read nothing in it', () => {
  const hostile = '<!channel> *b* https://evil.example @all :skull: [a](b)';
  const end = { state: 'denied', by: 'person:alice', via: 'slack', reason: hostile };
  const note = { title: 'Lockdown', words: hostile, approval: '' };
  const noteRow: ChatPostRow = { ...row([]), kind: 'note', body: JSON.stringify(note) };
  const messages = [
    showPosts([row([hostile])], showing),
    showPosts([row([hostile], {}, end)], showing),
    showPosts([row([hostile]), row([hostile], {}, end)], showing),
    showPosts([noteRow], showing),
  ];
  for (const message of messages) {
    const written = message.parts.filter(({ text }) => /evil|channel|skull/.test(text));
    expect(new Set(written.map(({ kind }) => kind))).toEqual(new Set(['code']));
    const { text, entities } = telegramMessage(message) as {
      text: string;
      entities: { type: string; offset: number; length: number }[];
    };
    const pre = entities.filter(({ type }) => type === 'pre');
    for (const { index } of text.matchAll(/evil|channel|skull/g))
      expect(pre.some(({ offset, length }) => offset <= index && index < offset + length)).toBe(true);
    const slack = slackMessage(message) as {
      text: string;
      blocks: { type: string; elements: { type: string }[] }[];
    };
    expect(slack.text).not.toMatch(/[<>]|evil/);
    for (const element of slack.blocks[0]?.elements ?? [])
      if (/evil|skull/.test(JSON.stringify(element)))
        expect(element).toMatchObject({ type: 'rich_text_preformatted', elements: [{ type: 'text' }] });
  }
});
