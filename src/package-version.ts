import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in our package.json, both for the sources and for build/. */
export function packageVersion(): string {
  const files = ['../package.json', '../../package.json'].map((file) => join(import.meta.dirname, file));
  const file = files.find((candidate) => existsSync(candidate));
  const parsed: unknown = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
  const version =
    typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  return typeof version === 'string' ? version : 'unknown';
}
