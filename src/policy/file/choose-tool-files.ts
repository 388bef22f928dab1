import { maxConfigBytes } from '../../config/read-text-file.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { findFetchProblem, findNetworkProblem } from './build-tools.ts';
import { whyUnfit } from './find-rule-problems.ts';
import { taughtBy } from './find-teaching-problems.ts';
import type { PolicyFile } from './policy-schema.ts';
import type { ToolFile } from './tool-file.ts';

/** Of each tool the versions of its file that may count, the newest first. */
export type Candidates = readonly (readonly ToolFile[])[];

export interface ChosenFiles {
  readonly files: readonly ToolFile[];
  /** Why the newest version of a file is not among them: `file:line: key: what`. */
  readonly unfit: readonly string[];
}

/** As many as every door shows of one agent. */
export const mostToolFiles = 200;

/** Of each tool the newest version that fits the policy. `file`: the policy's name. */
export function chooseToolFiles(policy: PolicyFile, file: string, candidates: Candidates): ChosenFiles {
  const files: ToolFile[] = [];
  const unfit: string[] = [];
  let bytes = 0;
  for (const versions of candidates) {
    const [newest] = versions;
    if (newest === undefined) continue;
    const chosen = versions.find((version) => problemsOf(version, policy, file).length === 0);
    if (chosen !== newest) unfit.push(...problemsOf(newest, policy, file));
    if (chosen === undefined) continue;
    bytes += Buffer.byteLength(chosen.front);
    if (files.length < mostToolFiles && bytes <= maxConfigBytes) files.push(chosen);
    else
      unfit.push(
        chosen.source.problem(
          [],
          `is more than the ${mostToolFiles} tool files, or the ${maxConfigBytes} bytes of front matter, that may be`,
        ),
      );
  }
  return { files, unfit };
}

function problemsOf({ name, tool, source }: ToolFile, policy: PolicyFile, file: string): string[] {
  const { tools, networks, rules } = policy;
  const known = knownTools.taught(taughtBy({ [name]: tool }));
  return [
    ...(Object.hasOwn(tools, name) ? [source.problem(['name'], `${file} defines ${name} already`)] : []),
    ...findNetworkProblem(tool.network, networks, source, ['network']),
    ...findFetchProblem(tool, networks, source, ['network']),
    ...rules.flatMap((rule) =>
      whyUnfit(rule, networks, known, name, tool).map((what) =>
        source.problem(['name'], `rule ${rule.name} of ${file} does not fit: ${what}`),
      ),
    ),
  ];
}
