/** Of every answer that a browser could take for a page: it may do nothing, and nobody may frame or keep it. */
export const answerHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const own = ['script', 'style', 'connect', 'img', 'frame'].map((what) => `${what}-src 'self'`).join('; ');

/** Of the terminal's frame: xterm makes style elements. Only our pages may frame it, and it may ask for nothing. */
export const terminalPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** Of a page of ours: it loads from its own origin and from nowhere else. */
export const pagePolicy = `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
