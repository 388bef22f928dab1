/** Where a credential is; it never stands in one of our files. */
export type SecretSource =
  | { readonly file: string }
  | { readonly env: string }
  /** What a program writes; it is run again when that is older than `ttl`, in milliseconds. */
  | { readonly command: readonly [string, ...string[]]; readonly ttl: number };
