import { renderArgument } from '../../src/text/render-text.ts';

/** What a command line of a fetch wants. */
export interface FetchOrder {
  /** Where on the line the URL stands. */
  readonly at: number;
  readonly url: string;
  /** Whatever it is. */
  readonly any: boolean;
  /** Status and headers only. */
  readonly head: boolean;
  /** HTML as text, or as it is; absent: as who asks usually has it. */
  readonly as?: 'text' | 'raw';
  /** The part that is wanted, in bytes. */
  readonly from: number;
  readonly max: number;
}

export const fetchUsage = 'usage: [--head] [--text | --raw] [--any] [--from BYTE] [--max BYTES] URL';

export type FetchOrderResult = { readonly order: FetchOrder } | { readonly what: string };

const switches = ['--any', '--head', '--text', '--raw'] as const;
const numbers = ['--from', '--max'] as const;

/** Options stand where they like, each at most once; a number stands behind its option, or behind `=`. */
export function readFetchOrder(args: readonly string[]): FetchOrderResult {
  const given = new Map<string, number>();
  let place: number | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!word.startsWith('-')) {
      if (place !== undefined) return { what: 'one URL at a time' };
      place = at;
      continue;
    }
    const [name = '', joined] = word.split('=', 2);
    if (given.has(name)) return { what: `${renderArgument(name)} is there twice` };
    if (isOneOf(switches, name) && joined === undefined) given.set(name, 0);
    else if (isOneOf(numbers, name)) {
      const text = joined ?? args[(at += 1)] ?? '';
      if (!/^\d{1,9}$/.test(text)) return { what: `${name} needs a number of bytes` };
      given.set(name, Number(text));
    } else return { what: `there is no option ${renderArgument(word.slice(0, 64))}` };
  }
  return place === undefined ? { what: 'which URL?' } : orderOf(args, place, given);
}

function orderOf(args: readonly string[], at: number, given: ReadonlyMap<string, number>): FetchOrderResult {
  const [text, raw] = [given.has('--text'), given.has('--raw')];
  if (text && raw) return { what: '--text and --raw are two things' };
  const max = given.get('--max') ?? Number.POSITIVE_INFINITY;
  if (max === 0) return { what: '--max must be at least 1' };
  const as = text ? 'text' : raw ? 'raw' : undefined;
  return {
    order: {
      ...{ at, url: args[at] ?? '', any: given.has('--any'), head: given.has('--head') },
      ...(as !== undefined && { as }),
      ...{ from: given.get('--from') ?? 0, max },
    },
  };
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
