import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readTextFile } from '../../config/read-text-file.ts';
import { readYaml } from '../../config/read-yaml.ts';
import { CliError } from './cli-error.ts';

/** The address of a person's gateway, and the folder with the person's identity. */
export interface Context {
  readonly file: string;
  /** `HOST:PORT`. */
  readonly gateway: string;
  /** Absolute. */
  readonly identity: string;
  /** Absolute path of a PEM file: the authorities of the gateway's server certificate. */
  readonly trust?: string;
}

export function defaultContextFile(): string {
  return join(homedir(), '.config', 'clawrden', 'context.yaml');
}

/** The file that `--context` names, else CLAWRDEN_CONTEXT, else the default file. */
export function contextFile(explicit: string | undefined): string {
  return resolve(explicit ?? process.env['CLAWRDEN_CONTEXT'] ?? defaultContextFile());
}

/** Throws a CliError. */
export function readContext(explicit: string | undefined): Context {
  const file = contextFile(explicit);
  const value = readValue(file);
  const { gateway, identity, trust } =
    typeof value === 'object' && value !== null ? (value as Partial<Context>) : {};
  if (typeof gateway !== 'string' || typeof identity !== 'string')
    throw broken(file, 'it must have the keys gateway and identity');
  if (trust !== undefined && typeof trust !== 'string') throw broken(file, 'trust must be a path');
  const inFolder = (path: string) => resolve(dirname(file), path);
  return { file, gateway, identity: inFolder(identity), ...(trust && { trust: inFolder(trust) }) };
}

function readValue(file: string): unknown {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    throw broken(file, error instanceof Error ? error.message : String(error));
  }
  const yaml = readYaml(text, file);
  if ('problems' in yaml) throw broken(file, yaml.problems.join(', '));
  return yaml.source.value;
}

function broken(file: string, why: string): CliError {
  const toDo =
    'name the one that `clawrden init` or `clawrden login` wrote with --context or CLAWRDEN_CONTEXT';
  return new CliError('context', why.includes(file) ? why : `${file}: ${why}`, toDo);
}
