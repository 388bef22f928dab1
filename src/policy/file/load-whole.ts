import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { readTextFile } from '../../config/read-text-file.ts';
import type { Policy } from '../policy.ts';
import { composePolicy } from './compose-policy.ts';
import { parseToolFile, type ToolFile, toolFileSuffix } from './tool-file.ts';
import { toolNamesIn } from './tool-names.ts';

export interface LoadedWhole {
  readonly policy: Policy;
  /** Why tool files of the folder are not in it. */
  readonly toolProblems: readonly string[];
}

/** A policy file with the tool files of a folder. Throws ConfigError if one cannot be read or the file is no policy. */
export function loadWhole(file: string, folder: string | undefined): LoadedWhole {
  const tools = folder === undefined ? undefined : readToolFiles(folder);
  const toolFiles = tools && { toolFiles: tools.files.map((one) => [one]) };
  const composed = composePolicy(readTextFile(file), file, { ...toolFiles });
  if ('problems' in composed) throw new ConfigError(composed.problems);
  return { policy: composed.policy, toolProblems: [...(tools?.problems ?? []), ...composed.unfit] };
}

/** What is wrong with one tool file, by itself and beside a policy file if one is named; one line for each fault. */
export function checkToolFile(file: string, name: string, policy: string | undefined): readonly string[] {
  const result = readToolFile(file, name);
  if ('problems' in result || policy === undefined) return 'problems' in result ? result.problems : [];
  try {
    const composed = composePolicy(readTextFile(policy), policy, { toolFiles: [[result.file]] });
    return 'problems' in composed ? composed.problems : composed.unfit;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function readToolFiles(folder: string): { files: readonly ToolFile[]; problems: readonly string[] } {
  const results = namesIn(folder).map((name) => readToolFile(join(folder, `${name}${toolFileSuffix}`), name));
  return {
    files: results.flatMap((result) => ('file' in result ? [result.file] : [])),
    problems: results.flatMap((result) => ('problems' in result ? result.problems : [])),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return toolNamesIn(folder);
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}

function readToolFile(file: string, name: string): ReturnType<typeof parseToolFile> {
  try {
    return parseToolFile(readTextFile(file), file, name);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}
