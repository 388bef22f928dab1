import type { ConnectionRecord } from '../audit/connection-record.ts';
import type { Metric } from '../ports/metrics.ts';

export interface EgressCounts {
  readonly opened: () => void;
  readonly closed: (outcome: ConnectionRecord['outcome'], bytes: { up: number; down: number }) => void;
  readonly turnedAway: () => void;
  readonly unrecorded: () => void;
  readonly metrics: () => readonly Metric[];
}

export function createCounts(): EgressCounts {
  const ends = new Map<string, number>();
  const bytes = { up: 0, down: 0 };
  let open = 0;
  const count = (outcome: string) => ends.set(outcome, (ends.get(outcome) ?? 0) + 1);
  return {
    opened: () => {
      open += 1;
    },
    closed: (outcome, { up, down }) => {
      open -= 1;
      bytes.up += up;
      bytes.down += down;
      count(outcome);
    },
    turnedAway: () => count('turned-away'),
    unrecorded: () => count('unrecorded'),
    metrics: () => [
      {
        ...{ name: 'clawrden_egress_connections_total', type: 'counter' },
        help: 'Connections of tools and agents that are over, by how they ended.',
        samples: [...ends].map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      {
        ...{ name: 'clawrden_egress_open', type: 'gauge', help: 'Connections of tools and agents now.' },
        samples: [{ labels: {}, value: open }],
      },
      {
        ...{ name: 'clawrden_egress_bytes_total', type: 'counter' },
        help: 'Bytes of tools and agents to destinations (up), and from there.',
        samples: (['up', 'down'] as const).map((direction) => ({
          labels: { direction },
          value: bytes[direction],
        })),
      },
    ],
  };
}
