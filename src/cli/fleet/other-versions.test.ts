import { expect, test } from 'vitest';
import { packageVersion } from '../../package-version.ts';
import { otherVersions } from './other-versions.ts';

const relay = { agents: 1, connected: true, peer: '', fingerprint: '', connectedAt: '' };

test('only what says another version than the gateway is named', () => {
  const own = packageVersion();
  const relays = [
    { ...relay, name: 'same', version: own },
    { ...relay, name: 'silent', version: '' },
    { ...relay, name: 'other', version: '9.0\u001b' },
  ];
  expect(otherVersions(own, relays)).toEqual([
    `the gateway's version is ${own}, that of relay other is 9.0\\u{1b}`,
  ]);
  expect(otherVersions('8.0', [])).toEqual([`the gateway's version is 8.0, this command line's is ${own}`]);
});
