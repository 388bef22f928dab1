import { describe, expect, test, vi } from 'vitest';
import { chainedLine, firstLink } from '../../audit/chain.ts';
import { createAuditReader } from './read-audit-lines.ts';

interface Chain {
  readonly lines: readonly string[];
  readonly hash: string;
}

function chainOf(from: number, to: number, before = firstLink, note = ''): Chain {
  const lines: string[] = [];
  let prev = before;
  for (let seq = from; seq <= to; seq += 1) {
    const { line, hash } = chainedLine({ seq, type: 'lifecycle', note, prev });
    lines.push(line);
    prev = hash;
  }
  return { lines, hash: prev };
}

const page = (lines: readonly string[]) => lines.map((record) => ({ record, damaged: '' }));
const numbers = (text: string) => [...text.matchAll(/^\{"seq":(\d+),/gm)].map(([, seq]) => Number(seq));

describe('a reader of the audit', () => {
  test('has each record once, however the pages overlap', () => {
    const { lines } = chainOf(1, 9);
    const reader = createAuditReader(2);
    expect(numbers(reader.read(page(lines.slice(0, 5))))).toEqual([2, 3, 4, 5]);
    expect(reader.next()).toBe(6);
    expect(reader.read(page(lines.slice(2, 5)))).toBe('');
    expect(reader.read(page(lines.slice(3)))).toBe(
      lines
        .slice(5)
        .map((line) => `${line}\n`)
        .join(''),
    );
  });

  test('A-269: refuses a record that does not follow the one that was read, and a log that is shorter', () => {
    const { lines, hash } = chainOf(1, 3);
    const reader = createAuditReader(1);
    reader.read(page(lines));
    expect(() => reader.read(page(chainOf(4, 4, hash.replace(/^./, 'x')).lines))).toThrow(
      'record 4 does not follow the record 3 that was read',
    );
    expect(() => reader.mustReach(2)).toThrow('it ends with record 2, before record 3');
    reader.mustReach(3);
    expect(numbers(reader.read(page(chainOf(4, 4, hash).lines)))).toEqual([4]);
  });

  test('says which records are not there, and goes on', () => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const reader = createAuditReader(1);
      expect(numbers(reader.read(page(chainOf(4, 5).lines)))).toEqual([4, 5]);
      expect(told.mock.calls.flat()).toEqual(['clawrden: audit: records 1 to 3 are not there\n']);
    } finally {
      told.mockRestore();
    }
  });

  test('shows a line that is no record as text, once, whatever number it claims', () => {
    const { lines, hash } = chainOf(1, 1);
    const reader = createAuditReader(1);
    const damaged = { record: '', damaged: '{"seq":99,"type":"x\u009b"}' };
    const shown = reader.read([...page(lines), damaged]);
    expect(shown.split('\n').slice(1)).toEqual([String.raw`"{\"seq\":99,\"type\":\"x\u009b\"}"`, '']);
    expect(reader.read([damaged])).toBe('');
    expect(numbers(reader.read([damaged, ...page(chainOf(2, 2, hash).lines)]))).toEqual([2]);
    const many = Array.from({ length: 501 }, (_, index) => ({ record: '', damaged: `x${index}` }));
    expect(() => reader.read(many)).toThrow('500 lines behind record 2 are no records');
  });
});
