/** What people are told of a secret. */
export interface SecretView {
  readonly name: string;
  readonly source: 'file' | 'env' | 'command';
  /** Why it cannot be read; empty if it can, and if nobody tried. */
  readonly problem: string;
}
