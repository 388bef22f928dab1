import { ConfigError } from '../../config/config-error.ts';
import { readTextFile } from '../../config/read-text-file.ts';
import type { Policy, PolicyResult } from '../policy.ts';
import { composePolicy } from './compose-policy.ts';

/** Never throws because of the content: each fault of the text is one line, `file:line: key: what`. */
export function parsePolicy(text: string, file: string): PolicyResult {
  return composePolicy(text, file, {});
}

/** Throws ConfigError if the file cannot be read or is not a policy. */
export function loadPolicy(file: string): Policy {
  const result = parsePolicy(readTextFile(file), file);
  if ('problems' in result) throw new ConfigError(result.problems);
  return result.policy;
}
