import { expect, test } from 'vitest';
import { checkFileSystem, judgeFileSystem } from './check-file-system.ts';

test.each([
  [0xef53, 'ok'],
  [0x58465342, 'ok'],
  [0x9123683e, 'ok'],
  [0x01021994, 'ok'],
  [0x6969, 'warning'],
  [0x65735546, 'warning'],
  [0xff534d42, 'warning'],
  // The same as a 32-bit number with a sign.
  [0xff534d42 | 0, 'warning'],
])('type %i', (type, level) => {
  expect(judgeFileSystem('home', '/srv/app', type)).toMatchObject({ level });
});

test('a folder that is not there is an error', async () => {
  expect(await checkFileSystem('home', '/nonexistent/app')).toMatchObject({ level: 'error' });
  expect(await checkFileSystem('home', '/tmp')).toMatchObject({ check: 'home', level: 'ok' });
});
