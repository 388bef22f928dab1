import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeCwd } from './normalize-cwd.ts';

test.each([
  '/app-evil',
  '/application',
  '/app/../etc',
  '/app/..',
  '/',
  '',
  'app',
  './',
  '/APP',
  '//etc',
  '/app/../app/../etc',
  '/proc/self/cwd',
  '/proc/self/fd/7',
  '/app\0/x',
  '/app\0/../etc',
  '/app∕..',
  '/app/sub/../../app2',
  `/app/${'x'.repeat(4096)}`,
])('A-15 %j is outside', (cwd) => {
  expect(normalizeCwd(cwd, '/app')).toBeUndefined();
});

test.each([
  ['/app', '/app'],
  ['/app/', '/app'],
  ['/app//sub', '/app/sub'],
  ['/app/./sub', '/app/sub'],
  ['/app/sub/..', '/app'],
  ['/app/sub/../..//app', '/app'],
  ['/app/%2e%2e/etc', '/app/%2e%2e/etc'],
  ['/app/...', '/app/...'],
])('A-16 %j is %j', (cwd, normal) => {
  expect(normalizeCwd(cwd, '/app')).toBe(normal);
});

test('a deeper workspace is compared component by component', () => {
  expect(normalizeCwd('/srv/coder/x', '/srv/coder')).toBe('/srv/coder/x');
  expect(normalizeCwd('/srv/coder2', '/srv/coder')).toBeUndefined();
  expect(normalizeCwd('/srv', '/srv/coder')).toBeUndefined();
});

test('P13 normalising twice changes nothing, and what comes out is inside', () => {
  const part = fc.constantFrom('app', 'a', '.', '..', '', 'app2', '...', 'app\0');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const normal = normalizeCwd(`/${parts.join('/')}`, '/app');
      if (normal === undefined) return;
      expect(normalizeCwd(normal, '/app')).toBe(normal);
      expect(normal === '/app' || normal.startsWith('/app/')).toBe(true);
      expect(normal.split('/').some((one) => one === '..' || one === '.')).toBe(false);
    }),
    { numRuns: 5000 },
  );
});
