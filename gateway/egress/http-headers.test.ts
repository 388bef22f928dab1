import { expect, test } from 'vitest';
import { standsIn } from './http-headers.ts';

test.each([
  ...'X-HTTP-Method X-HTTP-Method-Override X-Method-Override Method-Override Override-Method'.split(' '),
  ...'Http-Method-Override X-Original-URL X-MS-Original-URL X-Envoy-Original-Path X-Rewrite-URL'.split(' '),
  ...'X-Rewritten-Uri X-Middleware-Rewrite X-HTTP-Host-Override X-HTTP-Path-Override'.split(' '),
  ...'X-Override-URL X-WAWS-Unencoded-URL X-Invoke-Path X-Matched-Path X-Host X-Forwarded-Host'.split(' '),
  ...'Forwarded X_Forwarded_Host x.original.url X-Script-Name'.split(' '),
])('A-63 A-605 P16: %s may stand in for the method, the path or the host', (name) => {
  expect(standsIn(name)).toBe(true);
});

test.each([
  ...'Host Accept X-Api-Key X-Request-Id X-Goog-Upload-Command X-Stainless-Lang Overrides'.split(' '),
])('%s does not', (name) => {
  expect(standsIn(name)).toBe(false);
});
