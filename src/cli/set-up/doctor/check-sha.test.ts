import { expect, test } from 'vitest';
import { checkSha, judgeSha } from './check-sha.ts';

const intel = 'processor\t: 0\nflags\t\t: fpu ssse3 sse4_1 sha_ni avx2\n\nprocessor\t: 1\nflags\t\t: fpu\n';
const arm = 'processor\t: 0\nFeatures\t: fp asimd evtstrm aes sha1 sha2 crc32\n';

test.each([
  ['SHA-NI', intel, 'ok'],
  ['armv8', arm, 'ok'],
  ['a name that only begins so', intel.replace('sha_ni', 'sha_nix'), 'warning'],
  ['SHA-NI without what it needs besides', intel.replace('sse4_1', ''), 'warning'],
  ['armv8 without', arm.replace('sha2', ''), 'warning'],
  ['nothing', '', 'warning'],
])('%s', (_what, cpuinfo, level) => {
  expect(judgeSha(cpuinfo)).toMatchObject({ level });
});

test('a file that is not there is told', async () => {
  expect(await checkSha('/nonexistent')).toMatchObject({ level: 'warning' });
  expect((await checkSha()).text).toContain('processor');
});
