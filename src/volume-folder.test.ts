import { expect, test } from 'vitest';
import { volumeFolder } from './volume-folder.ts';

const plain = { Driver: 'local', Mountpoint: '/var/lib/docker/volumes/app/_data', Options: null };

test('a plain volume is its folder, whatever else it has', () => {
  for (const Options of [null, undefined, {}, { size: '10G' }])
    expect(volumeFolder('app', { ...plain, Options, Labels: {} })).toBe(plain.Mountpoint);
});

test.each([
  [{ ...plain, Driver: 'nfs' }],
  [{ ...plain, Options: { type: 'tmpfs', device: 'tmpfs' } }],
  [{ ...plain, Options: { device: '/etc', o: 'bind' } }],
  [{ ...plain, Options: { type: 'nfs', o: 'addr=host', device: ':/x' } }],
])('one that is mounted only while a container runs is refused: %j', (facts) => {
  expect(() => volumeFolder('app', facts)).toThrow(/^volume app is not a plain one/);
});

test('what is no volume is refused', () => {
  for (const facts of [null, {}, { ...plain, Mountpoint: 'relative' }, { ...plain, Mountpoint: '' }])
    expect(() => volumeFolder('app', facts)).toThrow(/Mountpoint|expected/);
});
