import { parsePolicy } from '../file/parse-policy.ts';
import type { PolicyResult } from '../policy.ts';
import { checkPolicy, type PolicyFindings } from './check-policy.ts';

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

/** `file` names the text in each line. */
export function reportOnText(text: string, file: string, force: boolean): PolicyReport {
  return reportOn(parsePolicy(text, file), force);
}

/** `force` takes errors for warnings. */
export function reportOn(result: PolicyResult, force: boolean): PolicyReport {
  if ('problems' in result) return { ok: false, problems: result.problems, errors: [], warnings: [] };
  const { version, hash } = result.policy;
  const findings = checkPolicy(result.policy);
  return { ok: force || findings.errors.length === 0, version, hash, problems: [], ...findings };
}
