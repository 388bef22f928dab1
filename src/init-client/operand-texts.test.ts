import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operandText, parseOperand } from './operand-texts.ts';
import { readStrings } from './read-strings.ts';

const digest = '0123456789abcdef'.repeat(4);

describe('what an init says of a file', () => {
  test('is the digest and the real path, or why there is none', () => {
    expect(parseOperand('x', `held sha256:${digest} /app/a b`)).toEqual({
      path: 'x',
      digest,
      file: '/app/a b',
    });
    const loose = `not held: the agent can change it; sha256:${digest} /app/; sha256:x`;
    expect(parseOperand('x', loose)).toEqual({
      ...{ path: 'x', digest, file: '/app/; sha256:x' },
      notHeld: 'the agent can change it',
    });
    expect(parseOperand('x', 'unseen: it is too large')).toEqual({
      path: 'x',
      notInspected: 'it is too large',
    });
  });

  test('A-561 P20: why it is not held is as short as why it was not seen', () => {
    const why = '\u0001'.repeat(8000);
    const operand = parseOperand('x', `not held: ${why}; sha256:${digest} /x`);
    expect(operand).toEqual({ path: 'x', digest, file: '/x', notHeld: why.slice(0, 200) });
    expect(parseOperand('x', `unseen: ${why}`)).toEqual({ path: 'x', notInspected: why.slice(0, 200) });
  });

  test.each([
    '',
    `sha256:${digest} /app`,
    `held`,
    'held sha256:',
    `held sha256:${digest}`,
    `held sha256:${digest} `,
    `held sha256:${digest} app`,
    `held  sha256:${digest} /app`,
    ` held sha256:${digest} /app`,
    `held sha256:${digest.toUpperCase()} /app`,
    `held sha256:${digest}/app`,
    `held sha1:${digest} /app`,
    `not held: ; sha256:${digest} /app`,
    `not held sha256:${digest} /app`,
    `not held: why sha256:${digest} /app`,
    'unseen',
  ])('%j says nothing', (found) => {
    expect(parseOperand('x', found)).toEqual({ path: 'x', notInspected: 'its init said nothing of it' });
  });

  test('P9: is expected again to the letter', () => {
    const digits = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 });
    fc.assert(
      fc.property(digits, fc.string(), (drawn, path) => {
        const hex = drawn.join('');
        for (const found of [
          `held sha256:${hex} /${path}`,
          `not held: why; sha256:${hex} /${path}`,
          `unseen: ${path.slice(0, 200)}`,
        ]) {
          expect(operandText(parseOperand('x', found))).toBe(found);
        }
      }),
    );
  });
});

describe('strings in a frame', () => {
  const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

  test('are taken in order, and what is cut off is left out', () => {
    expect(readStrings(bytes('00000001 78 00 00000000 00 00000002 c3a9 00'))).toEqual(['x', '', 'é']);
    expect(readStrings(bytes('00000001 78 00 000000ff 79'))).toEqual(['x']);
    expect(readStrings(bytes('00000001 78'))).toEqual([]);
    expect(readStrings(Buffer.alloc(0))).toEqual([]);
  });
});
