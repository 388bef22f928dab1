import { consentText, doorsOf } from '../../../src/policy/rules/consent.ts';
import { asciiJson } from '../../../src/text/ascii-json.ts';
import { maskText } from '../../../src/text/mask-tokens.ts';
import type { News, QuestionNews } from '../../ports/notifier.ts';

const version = 1;

/** What a webhook gets: one line of ASCII. `link`: where a person answers. */
export function hookBody(news: News, link: (approval: string) => string): string {
  const { id, event, at } = news;
  const told = { version, id, event, at: new Date(at).toISOString() };
  if (news.event !== 'question-ended' && 'question' in news)
    return asciiJson({ ...told, question: questionOf(news, link) });
  if (news.event === 'question-ended')
    return asciiJson({ ...told, question: { ...news.question, reason: maskText(news.question.reason) } });
  const { about, by, reason } = news;
  const subject =
    news.event === 'agent-stopped' ? { agent: about } : news.event === 'host-down' ? { host: about } : {};
  return asciiJson({ ...told, ...subject, by, reason: maskText(reason) });
}

function questionOf({ question, masked }: QuestionNews, link: (approval: string) => string): object {
  const { id, executionId, agent, caller, rule, reason, planHash, consent, createdAt, expiresAt } = question;
  const { plan, isMasked } = masked();
  return {
    ...{ id, executionId, agent, caller, rule, reason, plan, masked: isMasked },
    // It is of the plan as it is: with it, guesses at what is masked could be tried.
    ...(!isMasked && { planHash }),
    needs: consentText(consent),
    answerIn: doorsOf(consent),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    link: link(id),
  };
}
