import type { WardenApi } from '../ports/warden-api.ts';
import { metricsText } from './metrics-text.ts';
import { HttpRefused } from './problem.ts';

/** What a monitor asks, over either listener. */
export interface MonitorHandlers {
  readonly health: () => { status: 'ok' };
  readonly ready: () => { status: 'ok' };
  readonly metrics: () => string;
}

export function monitorHandlers(warden: WardenApi): MonitorHandlers {
  return {
    health: () => ({ status: 'ok' }),
    ready: () => {
      const { problem } = warden.status();
      if (problem !== '') throw new HttpRefused(503, problem, { 'retry-after': '1' });
      return { status: 'ok' };
    },
    metrics: () => metricsText(warden.metrics()),
  };
}
