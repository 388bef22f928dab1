import type { IncomingMessage } from 'node:http';
import { deadline } from '../../src/abort.ts';
import { EgressError } from '../../src/egress/egress-error.ts';
import type { Reach } from '../../src/egress/reach.ts';
import type { Reaching } from '../ports/reaching.ts';
import type { Traveller } from '../ports/way-out.ts';
import { askPage } from './ask-page.ts';
import { type ContentType, readContentType } from './content-type.ts';
import { type PageUrl, resolveLink } from './page-url.ts';
import { type Body, readBody } from './read-body.ts';

/** What one server answered. */
export interface Page {
  readonly status: number;
  readonly statusMessage: string;
  readonly rawHeaders: readonly string[];
  readonly type: ContentType;
  /** Where it leads to, instead of having a body. */
  readonly location?: string;
  /** Absent if it was not asked for, or is of a kind that is not wanted. */
  readonly body?: Body;
}

export interface PageWanted {
  readonly traveller: Traveller;
  readonly reaching: Reaching;
  readonly reach: Reach | undefined;
  readonly head: boolean;
  /** Whatever its kind. */
  readonly any: boolean;
}

const firstByteMs = 10_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** One request. Throws as `reaching` does. `why`: for the record. */
export async function getPage(page: PageUrl, why: string, wanted: PageWanted): Promise<Page> {
  const { traveller, reaching, reach, head, any } = wanted;
  const { endpoint, secure, href } = page;
  if (reach === undefined && ![80, 443].includes(endpoint.port))
    throw new EgressError('denied', `port ${endpoint.port} is not 80 or 443, and no network names it`);
  const late = () => new EgressError('late', `nothing came within ${firstByteMs / 1000} s`);
  using first = deadline(firstByteMs, late, traveller.signal);
  const from = { ...traveller, signal: first.signal };
  return await reaching(from, { endpoint, secure, reach, why }, async (socket) => {
    const answer = await askPage(socket, page, head ? 'HEAD' : 'GET', first.signal);
    first[Symbol.dispose]();
    return await pageOf(answer, { head, any, href, signal: traveller.signal });
  });
}

async function pageOf(
  answer: IncomingMessage,
  { head, any, href, signal }: { head: boolean; any: boolean; href: string; signal: AbortSignal },
): Promise<Page> {
  const { statusCode: status = 0, statusMessage = '', rawHeaders, headers } = answer;
  const type = readContentType(headers['content-type']);
  const page = { status, statusMessage, rawHeaders, type };
  if (redirects.has(status) && headers.location !== undefined) {
    const location = resolveLink(headers.location, href);
    if (location === undefined) throw new EgressError('invalid', 'it leads to what is no URL');
    return { ...page, location };
  }
  if (head || (type.kind === 'other' && !any)) return page;
  return { ...page, body: await readBody(answer, signal) };
}
