import { EgressError } from '../../src/egress/egress-error.ts';
import { canonicalJson, type Plan } from '../../src/plan.ts';
import type { Decision } from '../../src/policy/policy.ts';
import { getPage, type Page, type PageWanted } from './get-page.ts';
import { type PageUrl, readPageUrl } from './page-url.ts';

export interface FollowParts extends PageWanted {
  readonly plan: Plan;
  /** Where on the plan's line, without the tool, the URL stands. */
  readonly at: number;
  /** What the policy says of this plan now, if its line were that. */
  readonly decideAgain: (plan: Plan) => Decision;
}

/** The last page, and its URL. */
export interface Followed {
  readonly page: Page;
  readonly href: string;
}

const mostRedirects = 5;

/**
 * The page at a URL, or where that leads to. Each step is judged as if the agent had asked for it: only what the policy
 * allows without a question, and with the same network, is followed.
 */
export async function followPage(start: PageUrl, parts: FollowParts): Promise<Followed> {
  let [page, why] = [start, ''];
  for (let steps = 0; ; steps += 1) {
    const answer = await getPage(page, why, parts);
    if (answer.location === undefined) return { page: answer, href: page.href };
    if (steps === mostRedirects) throw ends(page, answer.location, `more than ${mostRedirects} times`);
    const next = readPageUrl(answer.location);
    if ('what' in next) throw ends(page, answer.location, next.what);
    if (page.secure && !next.page.secure) throw ends(page, answer.location, 'from https to http');
    const { what, rule } = judgeStep(next.page.href, parts);
    if (what !== '') throw ends(page, answer.location, what);
    [page, why] = [next.page, `led to ${next.page.href}, which rule ${rule} allows`];
  }
}

function judgeStep(href: string, { plan, at, decideAgain }: FollowParts): { what: string; rule: string } {
  const [tool = '', ...args] = plan.argv;
  const { action, rule, tool: decided } = decideAgain({ ...plan, argv: [tool, ...args.with(at, href)] });
  if (action === 'deny') return { what: `which rule ${rule} denies`, rule };
  if (action === 'ask') return { what: `which rule ${rule} asks a person about`, rule };
  const { network, allow } = decided?.reach ?? { network: '', allow: [] };
  const same = canonicalJson({ network, allow }) === canonicalJson(reachOf(plan));
  return {
    what: same && decided?.strategy === 'fetch' ? '' : `for which rule ${rule} has another network`,
    rule,
  };
}

function reachOf({ reach }: Plan) {
  return { network: reach?.network ?? '', allow: reach?.allow ?? [] };
}

function ends({ href }: PageUrl, location: string, why: string): EgressError {
  return new EgressError('denied', `${href} leads to ${location}, ${why}`);
}
