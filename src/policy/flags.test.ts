import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasFlag, mayHaveFlag } from './flags.ts';

test.each([
  ['-g', '-g', true],
  ['-g', '-g=x', true],
  ['-g', '-gx', false],
  ['--global', 'install --global', true],
  ['--global', '--global=true', true],
  ['--global', '--globally', false],
  ['--global', '--glob', false],
  ['--global', 'x -- --global', false],
  ['--global', '--Global', false],
])('%s in %j: %j', (flag, line, expected) => {
  expect(hasFlag(flag, line.split(' '))).toBe(expected);
});

test.each([
  ['-g', '-fg x', true],
  ['-g', '-gx', true],
  ['-g', '--g', false],
  ['-g', '-f --long', false],
  ['-g', 'g', false],
  ['--upload-pack', '--upload-pa=/app/c.sh', true],
  ['--upload-pack', '--upload-pack-x', false],
  ['--upload-pack', '--format=%H', false],
  ['--auto-approve', '-auto-approve', true],
  ['-exec', '--exec', true],
  ['-exec', '-execdir', false],
  ['-c', 'log -- -c alias.x=!sh', false],
  ['-c', '-C -- -c alias.x=!sh', true],
  ['--global', '-- --global', false],
  ['--global', '- --', false],
])('a strict rule on %s sees %j: %j', (flag, line, expected) => {
  expect(mayHaveFlag(flag, line.split(' '))).toBe(expected);
});

test('a strict rule sees at least what any rule sees', () => {
  const args = fc.array(fc.constantFrom('-g', '-g=1', '--go', '--go=1', '-go', '--', '-', 'x'), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.constantFrom('-g', '--go', '-go'), args, (flag, given) => {
      if (hasFlag(flag, given)) expect(mayHaveFlag(flag, given)).toBe(true);
    }),
  );
});
