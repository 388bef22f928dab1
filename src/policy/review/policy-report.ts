import type { LoadedWhole } from '../file/load-whole.ts';
import { checkPolicy, type PolicyFindings } from './check-policy.ts';
import { composeWhole } from './compose-whole.ts';

/** What `policy check` says of one text. */
export interface PolicyReport extends PolicyFindings {
  /** It may be used: it is a policy, and has no errors unless they were taken for warnings. */
  readonly ok: boolean;
  /** Absent if it is no policy, as `hash` is. */
  readonly version?: number;
  readonly hash?: string;
  /** Why it is no policy. */
  readonly problems: readonly string[];
}

/** `file` names the text in each line. `isOpen`: tool files may define what it names and does not define. */
export function reportOnText(text: string, file: string, force: boolean, isOpen: boolean): PolicyReport {
  const composed = composeWhole(text, file, isOpen);
  return reportOn('problems' in composed ? composed : { ...composed, toolProblems: [] }, force);
}

/** `force` takes errors for warnings. */
export function reportOn(
  result: LoadedWhole | { readonly problems: readonly string[] },
  force: boolean,
): PolicyReport {
  if ('problems' in result) return { ok: false, problems: result.problems, errors: [], warnings: [] };
  const { version, hash } = result.policy;
  const { errors: found, warnings } = checkPolicy(result.policy);
  const errors = [...result.toolProblems, ...found];
  return { ok: force || errors.length === 0, version, hash, problems: [], errors, warnings };
}
