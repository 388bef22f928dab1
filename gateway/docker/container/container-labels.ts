import { agentLabel, gatewayLabel } from '../../../src/agent-container.ts';

const graceMs = 10 * 60 * 1000;

export interface Labelled {
  readonly agent: string;
  /** Empty unless started ahead. */
  readonly pool: string;
  /** 0 means no timeout. */
  readonly timeoutMs: number;
}

/** `clawrden.expires` is in epoch seconds: `now` plus 10 min plus the timeout; 0 if there is no timeout. */
export function containerLabels(
  gatewayId: string,
  { agent, pool, timeoutMs }: Labelled,
  now: number,
): Record<string, string> {
  const expires = timeoutMs === 0 ? 0 : Math.ceil((now + graceMs + timeoutMs) / 1000);
  return {
    [gatewayLabel]: gatewayId,
    [agentLabel]: agent,
    'clawrden.pool': pool,
    'clawrden.expires': String(expires),
  };
}
