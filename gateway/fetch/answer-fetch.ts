import { EgressError } from '../../src/egress/egress-error.ts';
import { escapeUnprintable } from '../../src/text/render-text.ts';
import { decodeText } from './content-type.ts';
import { type FetchOrder, fetchUsage, readFetchOrder } from './fetch-order.ts';
import { type Followed, type FollowParts, followPage } from './follow-page.ts';
import type { Page } from './get-page.ts';
import { htmlText } from './html-text.ts';
import { partOf } from './page-part.ts';
import { readPageUrl } from './page-url.ts';

export interface FetchAnswer {
  readonly stdout: Buffer;
  /** Lines for people, without the tool's name. */
  readonly lines: readonly string[];
  /** 0: here it is. 1: it is not there, not all there, or may not be had. 2: the line makes no sense. */
  readonly code: 0 | 1 | 2;
}

/** `usual`: how who asks has HTML if the line says nothing. */
export type FetchParts = Omit<FollowParts, 'at' | 'head' | 'any'> & { readonly usual: 'text' | 'raw' };

/** Gets what the plan's line asks for. Throws only the reason of the traveller's signal. */
export async function answerFetch(parts: FetchParts): Promise<FetchAnswer> {
  const [, ...args] = parts.plan.argv;
  const read = readFetchOrder(args);
  if ('what' in read) return without(2, read.what, fetchUsage);
  const { order } = read;
  const start = readPageUrl(order.url);
  if ('what' in start) return without(2, start.what);
  try {
    return await shown(await followPage(start.page, { ...parts, ...order }), order, parts);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return without(1, `egress-${error.fault}: ${error.message}`);
  }
}

function without(code: 1 | 2, ...lines: readonly string[]): FetchAnswer {
  return { stdout: Buffer.alloc(0), lines: lines.map(escapeUnprintable), code };
}

async function shown({ page, href }: Followed, order: FetchOrder, parts: FetchParts): Promise<FetchAnswer> {
  const { status, statusMessage, type, body } = page;
  const isFine = status >= 200 && status < 300;
  const failed = isFine ? [] : [escapeUnprintable(`HTTP ${status} ${statusMessage}`.trimEnd())];
  if (order.head) return { stdout: headText(page), lines: failed, code: isFine ? 0 : 1 };
  if (body === undefined) {
    const what = type.name === '' ? 'it does not say what it is' : `it is ${type.name}`;
    return without(1, ...failed, `${what}, and not text, JSON or XML: --any gets it all the same`);
  }
  const isText = type.kind === 'html' && (order.as ?? parts.usual) === 'text';
  const text = async () =>
    Buffer.from(await htmlText(decodeText(body.bytes, type.charset), href, parts.traveller.signal));
  const { bytes, lines, isWhole } = partOf(isText ? await text() : body.bytes, body.isCut, order);
  return { stdout: bytes, lines: [...failed, ...lines], code: isFine && isWhole ? 0 : 1 };
}

function headText({ status, statusMessage, rawHeaders }: Page): Buffer {
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ''}`] : [],
  );
  return Buffer.from(`${[`HTTP ${status} ${statusMessage}`.trimEnd(), ...headers].join('\n')}\n`, 'latin1');
}
