import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endLine } from './shim-end.ts';

test('A-81, A-83: what a refused command reads is one line of ASCII, whatever is in its reason', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(endLine('denied-by-rule', text).toString('latin1')).toMatch(
        /^clawrden: denied-by-rule: [\x20-\x7e]*\n$/,
      );
    }),
  );
});
