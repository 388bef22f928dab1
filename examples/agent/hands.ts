/** What came of a call, for the model. */
export interface Ran {
  readonly text: string;
  readonly failed: boolean;
}

/** What an agent acts with. */
export interface Hands {
  /** What the model is told of its work. */
  readonly system: string;
  /** As the model gets them. */
  readonly tools: readonly object[];
  /** `given` is the model's JSON. Throws if the model got it wrong. */
  readonly use: (name: string, given: string, signal: AbortSignal) => Promise<Ran>;
}
