import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorCodes } from '../../src/errors.ts';
import { exitCodes } from '../../src/exit-codes.ts';

it('docs/errors.md lists every reason code with its exit code, in the order of the code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` \| (\d+) \| [^|]+ \| [^|]+ \|$/gm)];
  expect(rows.map(([, code, exit]) => [code, Number(exit)])).toEqual(
    errorCodes.map((code) => [code, exitCodes[code]]),
  );
});
