/** Where a credential is; it never stands in one of our files. */
export type SecretSource = { readonly file: string } | { readonly env: string };
