import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, repository } from './pages.ts';

it('each row of a table has the cells of its head: no renderer shows more', async () => {
  const odd: string[] = [];
  for (const page of await pages())
    odd.push(...oddRows(await readFile(join(repository, page), 'utf8')).map((row) => `${page}: ${row}`));
  expect(odd).toEqual([]);
});

it('no row and no list of docs/security.md says a thing twice', async () => {
  const page = await readFile(join(repository, 'docs/security.md'), 'utf8');
  const said = [...tables(page).flat().flatMap(clausesTwice), ...pointsTwice(page)];
  expect(said).toEqual([]);
});

it('finds a row with a cell too many, and a clause that is there twice', () => {
  expect(oddRows('| a | b |\n|---|---|\n| `x \\| y` | 2 |\n| 1 | 2 | 3 |\n')).toEqual(['| 1 | 2 | 3 |']);
  expect(oddRows('```\n| a |\n| b | c |\n```\n')).toEqual([]);
  expect(clausesTwice('| P1 | holds; is kept; holds |')).toEqual(['holds']);
  expect(pointsTwice('### P1\n- Holds.\n- Is kept.\n- Holds.\n### P2\n- Is kept.\n')).toEqual(['- Holds.']);
});

function oddRows(page: string): string[] {
  return tables(page).flatMap((rows) => rows.filter((row) => cells(row) !== cells(rows[0] ?? '')));
}

function tables(page: string): string[][] {
  const prose = page.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trimEnd().split('\n'));
}

function cells(row: string): number {
  return row.split(/(?<!\\)\|/).length;
}

function clausesTwice(row: string): string[] {
  const clauses = row.split(/; | \| /).map((clause) => clause.replace(/^\| | \|$/g, ''));
  return clauses.filter((clause, at) => clause.length > 4 && clauses.indexOf(clause) !== at);
}

/** Points that stand twice below one heading. */
function pointsTwice(page: string): string[] {
  return page.split(/^#/m).flatMap((section) => {
    const points = section.split('\n').filter((line) => line.startsWith('- '));
    return points.filter((point, at) => points.indexOf(point) !== at);
  });
}
