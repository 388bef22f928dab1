/** One row of the table and of bench.json. */
export interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** What a user would do instead, measured in the same run; its p50. */
  readonly yardstick?: { readonly name: string; readonly p50: number };
  /** Ours over the yardstick, or the yardstick over ours where `target` says "× than". */
  readonly ratio?: number;
  /** If absent, `met` is absent too: nothing is promised. */
  readonly target?: string;
  readonly met?: boolean;
}

export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export function quantiles(samples: readonly number[]): Quantiles {
  const sorted = [...samples].sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
}

/** Nearest rank. */
function quantile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** One measured value stands for all three quantiles. */
export function single(value: number): Quantiles {
  return { p50: value, p95: value, p99: value };
}
