import type { Candidates } from '../../src/policy/file/choose-tool-files.ts';
import { parseToolFile, type ToolFile, type ToolFileResult } from '../../src/policy/file/tool-file.ts';
import type { Found } from './watch-file.ts';
import { fileOf } from './watch-folder.ts';

/** A tool file as it is now. */
interface ToolSource {
  readonly found: Found;
  readonly result: ToolFileResult;
}

/** By their names, sorted. */
export type ToolSources = ReadonlyMap<string, ToolSource>;

/** Those of `before` whose text is the same are not parsed again. */
export function toolSources(
  folder: string,
  found: ReadonlyMap<string, Found>,
  before: ToolSources = new Map(),
): ToolSources {
  const names = [...found.keys()].sort();
  return new Map(names.map((name) => [name, toSource(folder, name, found.get(name), before.get(name))]));
}

/** A faulty one leaves its place to the one that is in force. */
export function candidatesOf(sources: ToolSources, inForce: readonly ToolFile[]): Candidates {
  return [...sources].map(([name, { result }]) => [
    ...('file' in result ? [result.file] : []),
    ...inForce.filter((file) => file.name === name),
  ]);
}

/** The first faults of each, and as many in all as one answer holds. */
export function faultsOf(sources: ToolSources): readonly string[] {
  const faulty = [...sources.values()].flatMap(({ result }) =>
    'problems' in result ? [result.problems.slice(0, mostOfFile)] : [],
  );
  const told = faulty.flat();
  if (told.length <= mostFaults) return told;
  return [...told.slice(0, mostFaults), `${told.length - mostFaults} more faults of tool files`];
}

const mostOfFile = 10;
const mostFaults = 200;

function toSource(
  folder: string,
  name: string,
  found: Found = { fault: 'it is gone' },
  before?: ToolSource,
): ToolSource {
  if ('fault' in found) return { found, result: { problems: [found.fault] } };
  if (before !== undefined && 'text' in before.found && before.found.text === found.text) return before;
  return { found, result: parseToolFile(found.text, fileOf(folder, name), name) };
}
