import { createHash } from 'node:crypto';
import { readYaml, type YamlSource } from '../../config/read-yaml.ts';
import type { Assignment } from '../assignment.ts';
import type { Policy } from '../policy.ts';
import { parseVersion0 } from '../version-0/parse-version-0.ts';
import { type Candidates, chooseToolFiles } from './choose-tool-files.ts';
import { buildVersion1, readVersion1 } from './parse-version-1.ts';
import type { ToolFile } from './tool-file.ts';
import { wholeText } from './whole-text.ts';

/** What counts beside policy.yaml. */
export interface Additions {
  /** Absent if there is no folder of tool files: then a rule names no tool that policy.yaml does not define. */
  readonly toolFiles?: Candidates;
  readonly assignments?: readonly Assignment[];
}

export type Composed =
  | {
      readonly policy: Policy;
      /** The whole that decides: the policy's hash is its hash. */
      readonly text: string;
      /** Those in force. */
      readonly toolFiles: readonly ToolFile[];
      /** Why the newest version of a tool file is not in force. */
      readonly unfit: readonly string[];
    }
  | { readonly problems: readonly string[] };

/**
 * policy.yaml comes first: no tool file makes it faulty, and one that does not fit it is left out. Never throws because
 * of the content: each fault of the text is one line, `file:line: key: what`.
 */
export function composePolicy(text: string, file: string, additions: Additions): Composed {
  const yaml = readYaml(text, file);
  if ('problems' in yaml) return yaml;
  const { source } = yaml;
  return hasVersion(source.value)
    ? composeVersion1(text, file, source, additions)
    : composeVersion0(text, source, additions);
}

function composeVersion1(
  text: string,
  file: string,
  source: YamlSource,
  { toolFiles, assignments = [] }: Additions,
): Composed {
  const read = readVersion1(source, toolFiles !== undefined);
  if ('problems' in read) return read;
  const { files, unfit } = chooseToolFiles(read.raw, file, toolFiles ?? []);
  const whole = wholeText(text, files, assignments);
  const policy = buildVersion1(read.raw, source, files, assignments, hashOf(whole));
  return { policy, text: whole, toolFiles: files, unfit };
}

/** Its first rule that matches wins: nothing can be judged beside it. */
function composeVersion0(
  text: string,
  source: YamlSource,
  { toolFiles = [], assignments = [] }: Additions,
): Composed {
  const parsed = parseVersion0(source, hashOf(text));
  if ('problems' in parsed) return parsed;
  const needs = 'only with a policy of version 1';
  const unfit = toolFiles.flatMap(
    ([newest]) => newest?.source.problem([], `a tool file counts ${needs}`) ?? [],
  );
  const lost = assignments.length === 0 ? [] : [source.problem([], `assignments count ${needs}`)];
  const { warnings } = parsed.policy;
  return { policy: { ...parsed.policy, warnings: [...warnings, ...lost] }, text, toolFiles: [], unfit };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hasVersion(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'version' in value;
}
