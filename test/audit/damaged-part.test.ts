import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { newWitnessed, note } from './witnessed.ts';

/** What somebody does to the newest part, or puts under the name of one. */
const damages = [
  { what: 'garbage', does: (part: string) => writeFile(part, 'garbage\n') },
  { what: 'zeros behind its records', does: (part: string) => appendFile(part, '\0\0\n') },
  {
    what: 'a record that was changed',
    does: async (part: string) =>
      writeFile(part, (await readFile(part, 'utf8')).replaceAll('"time":"2', '"time":"3')),
  },
  { what: 'a record of nobody', does: (part: string) => writeFile(part, '{"seq":99,"hash":"00"}\n') },
];

test.each(damages)(
  'P25: $what as the newest part of an empty log refuses the start, in one line that says what to do',
  async ({ does }) => {
    await using at = await newWitnessed();
    {
      await using log = await at.open();
      for (const text of ['one', 'two', 'three']) await log.append(note(text));
    }
    const part = `${at.file}.000000000005`;
    await rename(at.file, part);
    await does(part);
    await writeFile(at.file, '');
    expect(await auditFiles(at.file)).toEqual([part, at.file]);
    const refusal = await at.open().then(
      () => '',
      (error: Error) => error.message,
    );
    const name = `${basename(part)}.damaged`;
    expect(refusal).toBe(
      `the audit ${at.file} cannot be used: ${part}: its last line is no audit record, or one that was changed; move it away, under a name that is no part's (${name}): the next start goes on without it and says what is missing`,
    );
    // A refused start changes nothing, and the next one is refused, too.
    await expect(at.open()).rejects.toThrow(refusal);
    await rename(part, join(at.dir, name));
    {
      await using log = await at.open();
      expect(log.warnings()).toEqual([
        expect.stringContaining(` ${at.file} is gone; it went up to record 4`),
      ]);
    }
    expect(await at.incidents()).toHaveLength(1);
    expect((await at.verify()).problem?.why).toBe('records 1 to 4 are missing');
  },
);
