import { readFile } from 'node:fs/promises';

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Every record in the file; none if it is not there. */
export async function readAudit(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
