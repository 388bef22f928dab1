import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, type Plan, planHash } from '../../src/plan.ts';
import type { EndedNews, QuestionNews } from '../ports/notifier.ts';
import type { PendingApproval } from '../ports/verdict.ts';
import type { ChatPostRow } from '../store/chat-post-rows.ts';
import { toEnd, toPost } from './chat/kept-post.ts';
import { showPosts } from './chat/show-posts.ts';
import { withMaskedPlan } from './mask-plan.ts';
import { slackMessage } from './slack/slack-message.ts';
import { telegramMessage } from './telegram/telegram-message.ts';
import { hookBody } from './webhook/hook-body.ts';

const id = '0123456789abcdef0123456789abcdef';
const link = (approval: string) => `https://w.example/a/${approval}`;
const usual: Plan = {
  ...{ agent: 'coder', argv: ['x'], env: [], cwd: '/app', workspace: '', uid: 1, gid: 1, umask: 18 },
  ...{ strategy: 'mirror', mounts: [], network: 'none', stdin: 'none', timeoutMs: 0, idleTimeoutMs: 0 },
  limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 },
  policyHash: 'p',
};

function questionOf(plan: Plan): PendingApproval {
  const text = canonicalJson(plan);
  const command = { tool: 'x', args: [], cwd: '/app' };
  const consent = { approvals: 1, role: 'approver', answerIn: ['cli', 'chat'] } as const;
  return {
    ...{ id, executionId: 'e', caller: 'relay:h', agent: 'coder', rule: 'r', reason: 'why', said: '' },
    ...{ plan: text, planHash: planHash(text), command: command as never, consent },
    ...{ noGrant: '', createdAt: 0, expiresAt: 0, missing: 1, yeses: [] },
  };
}

/** Everything that anybody outside is sent of this question, from its first message to its end. */
function sentOf(question: PendingApproval): string {
  const news = (['question', 'question-reminder', 'question-escalated'] as const).map(
    (event): QuestionNews => ({ event, id: `${event}/${id}`, at: 0, ...withMaskedPlan(question) }),
  );
  const about = { id, executionId: 'e', agent: 'coder', rule: 'r', reason: 'no' };
  const end: EndedNews['question'] = { ...about, state: 'denied', by: 'person:ann', via: 'cli' };
  const ended: EndedNews = { event: 'question-ended', id: `question-ended/${id}`, at: 0, question: end };
  const hooks = [...news, ended].map((each) => hookBody(each, link));
  const chats = news.flatMap((told) => {
    const post = toPost(told, 4000);
    if (post === undefined) return [];
    const shown = { chat: 'ops', row: 1, bytes: 0, message: '', revision: 1, shown: 0, made_at: 0 };
    const row: ChatPostRow = { ...post, ...shown, ended: '', due_since: 0, next_at: 0, tries: 0 };
    const both = [row, { ...row, ended: JSON.stringify(toEnd(end)) }];
    return both.flatMap((each) => {
      const message = showPosts([each], { link, textAtMost: 4000 });
      return [telegramMessage(message), slackMessage(message)].map((body) => JSON.stringify(body));
    });
  });
  return [...hooks, ...chats].join('\n');
}

/** How its first 32 bits may be written, and its first 36. */
function beginningsOf(hash: string): string[] {
  const bytes = Buffer.from(hash, 'hex');
  const hex = hash.slice(0, 8);
  return [
    hex,
    hex.toUpperCase(),
    ...(['base64', 'base64url'] as const).map((each) => bytes.toString(each).slice(0, 6)),
  ];
}

const word = fc.string({ unit: 'grapheme', maxLength: 12 });
const credential = fc.stringMatching(/^[A-Za-z0-9]{14,40}$/);
/** A plan with a credential somewhere in it. */
const masked = fc
  .record({ words: fc.array(word, { maxLength: 4 }), credential, place: fc.nat(3) })
  .map(({ words, credential: secret, place }): Plan => {
    if (place === 0) return { ...usual, argv: ['x', ...words, '--token', secret] };
    if (place === 1) return { ...usual, argv: ['x', `--password=${secret}`, ...words] };
    if (place === 2) return { ...usual, argv: ['x', ...words], env: [`DB_PASSWORD=${secret}`] };
    return { ...usual, argv: ['x', `https://u:${secret}@h.example/`, ...words] };
  });

it('A-171: no beginning of the plan hash of a masked question is in anything that is sent of it', () => {
  fc.assert(
    fc.property(masked, (plan) => {
      const question = questionOf(plan);
      const sent = sentOf(question);
      expect(sent).toContain('"masked":true');
      for (const begin of beginningsOf(question.planHash)) expect(sent).not.toContain(begin);
    }),
  );
});

it('a question of which nothing is masked is told with its plan hash', () => {
  const question = questionOf(usual);
  expect(sentOf(question)).toContain(`"planHash":"${question.planHash}"`);
});

it('A-561: nor is a credential in why a script is not held', () => {
  const notHeld = 'DB_PASSWORD=hunter2hunter2hunter2';
  const operands = [{ path: 'x.sh', digest: 'd', file: '/app/x.sh', notHeld }];
  const { plan } = withMaskedPlan(questionOf({ ...usual, operands })).masked();
  expect(JSON.stringify(plan)).not.toContain('hunter2');
});
