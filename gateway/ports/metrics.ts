/** One figure of the gateway, for a monitor. */
export interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** For people. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** Of a histogram. */
  readonly part?: 'bucket' | 'sum' | 'count';
  /** Names from gateway.yaml, and words of ours: never what an agent chooses. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
