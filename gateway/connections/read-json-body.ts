import { isUtf8 } from 'node:buffer';
import { ClawrdenError } from '../../src/errors.ts';
import { commandLimits } from '../../src/policy/request/check-command.ts';
import { JsonError, readStrictJson } from '../../src/text/strict-json.ts';

const others = 128;
const mostValues = commandLimits.args + commandLimits.envEntries + others;
/** A schema finds all that is wrong, and makes words of each, before somebody reads the first. */
const faults = { keys: commandLimits.envEntries + others, items: others };

/** Names that mean something else than a key to careless code; no body of ours has them. */
const poisonous: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const keys = { has: (key: string) => !poisonous.has(key) };

/** A body, with no key twice and no object that has a prototype. Throws `request-invalid`. */
export function readJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ClawrdenError('request-invalid', 'the body is not UTF-8');
  try {
    return readStrictJson(bytes.toString('utf8'), { keys, left: mostValues, faults });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ClawrdenError('request-invalid', `the body is not valid JSON: ${error.message}`);
  }
}
