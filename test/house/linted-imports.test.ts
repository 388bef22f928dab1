import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { importsOfMain, violations, writeIn, writeViolation } from './violations.ts';

const root = join(import.meta.dirname, '../..');
const places = [...new Set(violations.map(({ place }) => place))];
const configText = `import ours from '${root}/oxlint.config.ts';\nexport default { ...ours, options: {} };\n`;
const allowed = `import { stub } from '../src/stub.ts';\nexport const fine = stub;\n`;

describe('the linter', () => {
  let checkout: string;
  let complaints: readonly string[];

  beforeAll(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'clawrden-linted-'));
    await writeIn(checkout, 'oxlint.config.ts', configText);
    await Promise.all(
      [...violations, ...importsOfMain].map((violation) => writeViolation(checkout, violation)),
    );
    await writeIn(checkout, 'gateway/allowed.ts', allowed);
    complaints = await lint(checkout, 'no-restricted-imports');
  });
  afterAll(() => rm(checkout, { recursive: true, force: true }));

  it.each(places)('refuses everything in the row of %s, however it is imported', (place) => {
    const files = violations.filter((violation) => violation.place === place).map(({ file }) => file);
    const lines = files.flatMap((file) => [1, 2, 3, 4].map((line) => `${file}:${line}`));
    expect(complaints.filter((complaint) => lines.includes(complaint))).toEqual(lines.sort());
  });

  it.each(importsOfMain)('refuses to import a main.ts in $place', ({ file }) => {
    expect(complaints).toContain(`${file}:1`);
  });

  it('lets the core import what both sides share', () => {
    expect(complaints.filter((complaint) => complaint.startsWith('gateway/allowed.ts'))).toEqual([]);
  });
});

test('the linter refuses a main.ts that closes over what it builds later', async () => {
  const checkout = await mkdtemp(join(tmpdir(), 'clawrden-linted-'));
  const lines = [
    'export function serve(): number {',
    '  const first = () => second + helper();',
    '  const second = 2;',
    '  return first();',
    '}',
    'function helper(): number {',
    '  return 1;',
    '}',
  ];
  await writeIn(checkout, 'oxlint.config.ts', configText);
  await writeIn(checkout, 'gateway/main.ts', `${lines.join('\n')}\n`);
  await writeIn(checkout, 'gateway/other.ts', `${lines.join('\n')}\n`);
  expect(await lint(checkout, 'no-use-before-define')).toEqual(['gateway/main.ts:2']);
  await rm(checkout, { recursive: true });
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

async function lint(checkout: string, rule: string): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile('oxlint', ['-f', 'json', '.'], { cwd: checkout, maxBuffer: 1 << 26 }, (_error, stdout) =>
    resolve(stdout),
  );
  const { diagnostics } = JSON.parse(await promise) as { diagnostics: Diagnostic[] };
  return diagnostics
    .filter(({ code }) => code.includes(rule))
    .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`)
    .sort();
}
