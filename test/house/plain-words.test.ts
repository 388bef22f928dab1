import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, test } from 'vitest';
import { repository } from './pages.ts';

/** Turns that a reader whose first language is not English stumbles over, each with what to write instead. */
const dialect: readonly (readonly [RegExp, string])[] = [
  [/\bwho(?:so)?m?ever\b/i, 'name the actor: "a process that …"'],
  [/\b(?:nobody|anybody|everybody|somebody)['’]s\b/i, 'say who the owner is'],
  [/\bof late\b(?!\))/i, 'recently, or how long'],
  [/(?<!\bthere )\b(?:is|are|was|were) none\b/i, 'has no …, or "does not exist"'],
  [/\b(?:is|are) no more\b(?! than)/i, 'no longer exists'],
  [/\bof (?:theirs|hers|his own accord)\b/i, 'their'],
  [/\b(?:only|also|even|at once|never) where\b|(?:^|[.;] )[Ww]here [^,:;]*,/, 'if; "where" is for places'],
  [/\b(?:lest|thence|whence|thereof|heretofore|naught|alas)\b/i, 'a word of today'],
];

const read = /\.(?:ts|c|h|cjs|mjs|md|proto|yaml|yml)$|^scripts\/|^[^/]*$/;
const unread = /^(?:wip\.md|package-lock\.json|LICENSE|src\/gen\/|test\/house\/plain-words)/;

it('no comment, page or message uses a turn of the dialect', async () => {
  const found: string[] = [];
  for (const file of await tracked()) {
    const lines = (await readFile(join(repository, file), 'utf8').catch(() => '')).split('\n');
    for (const [index, line] of lines.entries())
      for (const advice of faultsOf(line)) found.push(`${file}:${index + 1}: ${advice}: ${line.trim()}`);
  }
  expect(found).toEqual([]);
});

test.each([
  'Whoever asks is told.',
  "What names no ghost is nobody's.",
  'as many as came of late',
  'a role that is none',
  'a host that is no more in the file',
  'It counts only where a person said so.',
  'Where the engine does not answer, the command ends.',
  'at most one; where there is no room, the oldest goes',
])('finds: %s', (line) => expect(faultsOf(line)).toHaveLength(1));

test.each([
  'Removes containers that no live ghost owns, for example after a crash.',
  '0 if there is none',
  'it is no more than a file',
  '/** Where the engine keeps it, in a folder of its own. */',
  'The script is read where the command runs.',
])('lets pass: %s', (line) => expect(faultsOf(line)).toEqual([]));

function faultsOf(line: string): string[] {
  return dialect.filter(([pattern]) => pattern.test(line)).map(([, advice]) => advice);
}

/** Also what is not committed yet. */
async function tracked(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard'],
    {
      cwd: repository,
    },
  );
  return stdout.split('\n').filter((file) => read.test(file) && !unread.test(file));
}
