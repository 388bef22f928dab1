import { expect, test } from 'vitest';
import { readLock, unlisted } from './lockfile.ts';

test('the lockfile lists the optional packages of every platform, or `npm ci` refuses it', async () => {
  expect(unlisted(await readLock()), 'run: node test/house/lockfile.ts').toEqual([]);
});
