/** What a person wants of an agent. */
export interface HaltOrder {
  readonly state: 'paused' | 'killed';
  readonly agent: string;
  readonly reason: string;
}

const form = /^\/?(pause|kill)(?:@\w{1,64})?(?:\s+(\S{1,100})(?:\s+(\S[^]{0,500}?))?)?\s*$/i;

/** Undefined if these words are no order; `usage` if they begin as one. `/pause coder it loops`. */
export function readOrder(words: string): HaltOrder | 'usage' | undefined {
  const [, verb, agent, reason = ''] = form.exec(words) ?? [];
  if (verb === undefined) return undefined;
  if (agent === undefined) return 'usage';
  return { state: verb.toLowerCase() === 'pause' ? 'paused' : 'killed', agent, reason };
}
