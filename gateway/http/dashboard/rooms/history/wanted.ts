import { searchLength } from '../../../../../src/line-search.ts';

/** What is looked for; it stands in the address, so that a search can be sent to somebody. */
export interface Wanted {
  readonly q: string;
  readonly agent: string;
  readonly tool: string;
  readonly decision: string;
  readonly state: string;
  /** `1h`, `24h`, `7d`, or `between` with the two times. */
  readonly time: string;
  readonly from: string;
  readonly to: string;
}

export const nothingWanted: Wanted = {
  ...{ q: '', agent: '', tool: '', decision: '', state: '' },
  ...{ time: '', from: '', to: '' },
};

const lengths: Readonly<Record<string, number>> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 };
const decisions = ['allow', 'deny', 'ask'] as const;
const states = ['received', 'awaiting-approval', 'queued', 'running'] as const;

export function readWanted(query: URLSearchParams): Wanted {
  const keys = Object.keys(nothingWanted) as (keyof Wanted)[];
  return Object.fromEntries(keys.map((key) => [key, query.get(key) ?? ''])) as unknown as Wanted;
}

export function addressOf(wanted: Wanted): string {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
  return query.size === 0 ? '/history' : `/history?${query.toString()}`;
}

/** Undefined if it can be asked for; else what is wrong with it. */
export function whyNot({ q }: Wanted): string | undefined {
  const { least, most } = searchLength;
  if (q !== '' && (q.length < least || q.length > most))
    return `A text that is searched for has ${least} to ${most} characters.`;
  return undefined;
}

/** What the API is asked. */
export function queryOf({ q, agent, tool, decision, state, ...when }: Wanted, now: number) {
  const { since, until } = spanOf(when, now);
  return {
    ...(q !== '' && { q }),
    ...(agent !== '' && { agent }),
    ...(tool !== '' && { tool }),
    ...oneOf('decision', decision, decisions),
    ...oneOf('state', state, states),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

function oneOf<Key extends string, Value extends string>(key: Key, text: string, values: readonly Value[]) {
  const value = values.find((each) => each === text);
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

function spanOf({ time, from, to }: Pick<Wanted, 'time' | 'from' | 'to'>, now: number) {
  const length = lengths[time];
  if (length !== undefined) return { since: new Date(now - length).toISOString(), until: undefined };
  if (time !== 'between') return { since: undefined, until: undefined };
  return { since: localTime(from), until: localTime(to) };
}

/** Of a field that has a day and a time of here. */
function localTime(text: string): string | undefined {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
