import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Where stdout and stderr are written: each of these escapes or filters what it writes, or gets escaped text. */
const writers = [
  ...['src/cli/print/streams.ts', 'src/cli/print/tell.ts', 'src/cli/run/terminal-writer.ts'],
  ...['src/log.ts', 'src/text/say.ts'],
];

async function* sources(): AsyncGenerator<readonly [file: string, line: string]> {
  for await (const file of glob(['src/**/*.ts', 'gateway/**/*.ts', 'shim/**/*.ts'], { cwd: root })) {
    if (file.endsWith('.test.ts') || file.startsWith('src/gen/')) continue;
    const text = await readFile(join(root, file), 'utf8');
    for (const line of text.split('\n')) yield [file, line.replace(/^\s*(?:\/\/|\/?\*).*/, '')];
  }
}

// Printed text is escaped outside of ASCII, because others wrote parts of it; our own words would be escaped too.
it('no text in a program has a character outside of ASCII', async () => {
  const found: string[] = [];
  for await (const [file, line] of sources())
    if (/[^\0-\x7f]/.test(line)) found.push(`${file}: ${line.trim()}`);
  expect(found).toEqual([]);
});

it('A-83: nothing writes to stdout or stderr but what makes it safe (in a command: writeOut and tell)', async () => {
  const found = new Set<string>();
  for await (const [file, line] of sources())
    if (/\bstd(?:out|err)\.write\(|\bconsole\.|\bopenStderr\(\)[.,;]/.test(line)) found.add(file);
  expect([...found].sort()).toEqual(writers);
});
