import { readdirSync } from 'node:fs';
import { toolFileSuffix } from './tool-file.ts';

/** So many names are looked at; more are no folder of tools. */
const mostNames = 1000;

/** The names of the tool files in a folder, sorted. Throws a line that names the folder. */
export function toolNamesIn(folder: string): readonly string[] {
  const names = namesIn(folder).filter((name) => name.endsWith(toolFileSuffix) && !name.startsWith('.'));
  if (names.length > mostNames) throw new Error(`${folder}: it has more than ${mostNames} tool files`);
  return names.map((name) => name.slice(0, -toolFileSuffix.length)).sort();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such folder' : (error as Error).message;
    throw new Error(`${folder}: cannot be read: ${why}`, { cause: error });
  }
}
