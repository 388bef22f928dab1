import { expect, test } from 'vitest';
import { isPeerName, parsePeerName, spiffeId } from './peer-name.ts';

test('a name survives the certificate', () => {
  const peer = { kind: 'relay', name: 'host-7.example' } as const;
  expect(parsePeerName(`URI:${spiffeId(peer)}`)).toEqual(peer);
});

test("P27: a certificate that names an operator is a person's until it is renewed", () => {
  const person = { kind: 'person', name: 'ann' } as const;
  expect(parsePeerName('URI:spiffe://clawrden/operator/ann')).toEqual(person);
  expect(spiffeId(person)).toBe('spiffe://clawrden/person/ann');
});

test.each([
  ['none', undefined],
  ['another trust domain', 'URI:spiffe://other/relay/a'],
  ['another kind', 'URI:spiffe://clawrden/gateway/a'],
  ['a further name', 'URI:spiffe://clawrden/relay/a, URI:spiffe://clawrden/relay/b'],
  ['a DNS name that looks like one', 'DNS:spiffe://clawrden/relay/a'],
  ['quoted text', 'URI:"spiffe://clawrden/relay/a"'],
  ['a path below', 'URI:spiffe://clawrden/relay/a/b'],
  ['a line after it', 'URI:spiffe://clawrden/relay/a\n'],
])('A-54: a certificate with %s names nobody', (_what, text) => {
  expect(parsePeerName(text)).toBeUndefined();
});

test.each(['', '-a', '.a', 'a/b', 'a b', 'a'.repeat(64), 'ä'])('%j is no name', (name) => {
  expect(isPeerName(name)).toBe(false);
  expect(() => spiffeId({ kind: 'person', name })).toThrow('is not a name');
});
