export const gatewayLabel = 'clawrden.gateway';

const graceMs = 10 * 60 * 1000;

export interface Labelled {
  readonly agent: string;
  /** Empty unless started ahead. */
  readonly pool: string;
  /** 0 means none. */
  readonly timeoutMs: number;
}

/** `clawrden.expires` is in epoch seconds: 10 min and the timeout after `now`; 0 where there is none. */
export function ghostLabels(
  gatewayId: string,
  { agent, pool, timeoutMs }: Labelled,
  now: number,
): Record<string, string> {
  const expires = timeoutMs === 0 ? 0 : Math.ceil((now + graceMs + timeoutMs) / 1000);
  return {
    [gatewayLabel]: gatewayId,
    'clawrden.agent': agent,
    'clawrden.pool': pool,
    'clawrden.expires': String(expires),
  };
}
