import { createHash } from 'node:crypto';
import { ConfigError } from '../../config/config-error.ts';
import { readTextFile } from '../../config/read-text-file.ts';
import { readYaml } from '../../config/read-yaml.ts';
import type { Policy, PolicyResult } from '../policy.ts';
import { parseVersion0 } from '../version-0/parse-version-0.ts';
import { parseVersion1 } from './parse-version-1.ts';

/** Never throws because of the content: each fault of the text is one line, `file:line: key: what`. */
export function parsePolicy(text: string, file: string): PolicyResult {
  const yaml = readYaml(text, file);
  if ('problems' in yaml) return yaml;
  const { source } = yaml;
  const hash = createHash('sha256').update(text).digest('hex');
  return hasVersion(source.value) ? parseVersion1(source, hash) : parseVersion0(source, hash);
}

/** Throws ConfigError if the file cannot be read or is not a policy. */
export function loadPolicy(file: string): Policy {
  const result = parsePolicy(readTextFile(file), file);
  if ('problems' in result) throw new ConfigError(result.problems);
  return result.policy;
}

function hasVersion(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'version' in value;
}
