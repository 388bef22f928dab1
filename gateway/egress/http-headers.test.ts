import { expect, test } from 'vitest';
import { standsIn } from './http-headers.ts';

test.each([
  ...['X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override', 'Method-Override', 'Override-Method'],
  ...[
    'Http-Method-Override',
    'X-Original-URL',
    'X-MS-Original-URL',
    'X-Envoy-Original-Path',
    'X-Rewrite-URL',
  ],
  ...[
    'X-Rewritten-Uri',
    'X-Middleware-Rewrite',
    'X-HTTP-Host-Override',
    'X-HTTP-Path-Override',
    'X-Override-URL',
  ],
  ...['X-WAWS-Unencoded-URL', 'X-Invoke-Path', 'X-Matched-Path', 'X-Host', 'X-Forwarded-Host', 'Forwarded'],
  ...['X_Forwarded_Host', 'x.original.url', 'X-Script-Name'],
])('A-63 A-605 P16: %s may stand in for the method, the path or the host', (name) => {
  expect(standsIn(name)).toBe(true);
});

test.each([
  'Host',
  'Accept',
  'X-Api-Key',
  'X-Request-Id',
  'X-Goog-Upload-Command',
  'X-Stainless-Lang',
  'Overrides',
])('%s does not', (name) => {
  expect(standsIn(name)).toBe(false);
});
