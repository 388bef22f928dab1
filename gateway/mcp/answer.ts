/** Texts of an answer. What a program wrote stands in one of its own, so that it cannot be taken for ours. */
export interface Answer {
  readonly text: readonly string[];
  readonly isError?: boolean;
}
