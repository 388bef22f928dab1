import type { Command, Identity, Stdio, StdioKind, TerminalSize } from '../../../../src/command.ts';
import { noStdin } from '../../../../src/command.ts';
import { ClawrdenError } from '../../../../src/errors.ts';
import { commandLimits } from '../../../../src/policy/request/check-command.ts';
import { renderArgument } from '../../../../src/text/render-text.ts';
import {
  JsonError,
  type JsonLimits,
  readStrictJson,
  TooManyValuesError,
  UnknownKeyError,
} from '../../../../src/text/strict-json.ts';

export interface ShimRequest {
  /** Absent: it is the agent's way out. */
  readonly command: Command | undefined;
  /** The identity that the shim claims. */
  readonly claim: Identity;
}

const maxId = 0xfffffffe;
const maxShown = 64;
const defaultUmask = 0o022;
const kinds: ReadonlySet<unknown> = new Set<StdioKind>(['tty', 'pipe', 'file', 'null', 'closed']);
const keysOfWayOut = ['v', 'way-out', 'identity'];
const keysOfVersion0 = ['command', 'args', 'cwd', 'env', 'identity'];
const keysOfVersion1 = [...keysOfVersion0, 'v', 'umask', 'stdio', 'ignored', 'blocked', 'tty'];
const allKeys: ReadonlySet<string> = new Set([
  ...keysOfVersion1,
  ...keysOfWayOut,
  'uid',
  'gid',
  'cols',
  'rows',
]);

/** As many values as a command may have, plus some for the rest of a request. */
const mostValues = commandLimits.args + commandLimits.envEntries + 128;

/**
 * The body of a shim's request, exactly as `docs/protocol.md` describes it. Anything else throws `request-invalid`
 * or, with more values than a command may have, `too-large`. Calls `onRead` with the number of values that were read,
 * also when it throws.
 */
export function parseRequest(body: Uint8Array, onRead: (values: number) => void = () => {}): ShimRequest {
  const limits: JsonLimits = { keys: allKeys, left: mostValues };
  try {
    return toRequest(read(body, limits));
  } finally {
    onRead(mostValues - limits.left);
  }
}

function toRequest(value: unknown): ShimRequest {
  const fields = record('the request', value);
  const version = parseVersion(fields['v']);
  if (fields['way-out'] !== undefined) return parseWayOut(fields);
  allowKeys('the request', fields, version === 0 ? keysOfVersion0 : keysOfVersion1);
  return { command: parseCommand(fields, version), claim: parseClaim(fields['identity']) };
}

function parseWayOut(fields: Fields): ShimRequest {
  allowKeys('a request for the way out', fields, keysOfWayOut);
  if (fields['v'] !== 1 || fields['way-out'] !== true) throw invalid('"way-out" is not true in version 1');
  return { command: undefined, claim: parseClaim(fields['identity']) };
}

function read(body: Uint8Array, limits: JsonLimits): unknown {
  try {
    return readStrictJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), limits);
  } catch (error) {
    if (error instanceof UnknownKeyError) throw unknownKey('the request', error.message);
    if (error instanceof TooManyValuesError)
      throw new ClawrdenError('too-large', `the request has more than ${mostValues} values`);
    if (error instanceof JsonError) throw invalid(`the request is no JSON: ${error.message}`);
    throw invalid('the request is not UTF-8');
  }
}

function parseVersion(value: unknown): 0 | 1 {
  if (value === undefined) return 0;
  if (value !== 1)
    throw invalid('this relay speaks version 1 of the protocol and the shim another; update one of them');
  return 1;
}

function parseCommand(fields: Fields, version: 0 | 1): Command {
  const { umask, stdio, ignored, blocked, tty } = fields;
  return {
    tool: text('"command"', fields['command']),
    args: list('"args"', fields['args'], text),
    cwd: text('"cwd"', fields['cwd']),
    env: list('"env"', fields['env'], variable),
    umask: umask === undefined ? defaultUmask : integer('"umask"', umask, 0, 0o777),
    stdio: stdio === undefined ? noStdin : parseStdio(stdio),
    ignored: ignored === undefined ? [] : parseSignals('"ignored"', ignored),
    ...(blocked === undefined ? {} : { blocked: parseSignals('"blocked"', blocked) }),
    ...(tty === undefined ? {} : { terminal: parseTerminal(tty) }),
    version,
  };
}

function parseClaim(value: unknown): Identity {
  const fields = record('"identity"', value);
  allowKeys('"identity"', fields, ['uid', 'gid']);
  return { uid: integer('"uid"', fields['uid'], 0, maxId), gid: integer('"gid"', fields['gid'], 0, maxId) };
}

/** A list with more entries than there are signals is invalid; the gateway would refuse it without a record. */
function parseSignals(what: string, value: unknown): number[] {
  const signals = list(what, value, signalNumber);
  if (signals.length > 64) throw invalid(`${what} has more than 64 signals`);
  return signals;
}

function parseStdio(value: unknown): Stdio {
  const items = list('"stdio"', value, text);
  const [stdin, stdout, stderr] = items;
  const valid =
    items.length === 3 && kinds.has(stdin) && kinds.has(stdout) && (kinds.has(stderr) || stderr === '=1');
  if (!valid) throw invalid('"stdio" is not three of tty, pipe, file, null and closed');
  return [stdin, stdout, stderr] as unknown as Stdio;
}

function parseTerminal(value: unknown): TerminalSize {
  const fields = record('"tty"', value);
  allowKeys('"tty"', fields, ['cols', 'rows']);
  return {
    cols: integer('"cols"', fields['cols'], 0, 0xffff),
    rows: integer('"rows"', fields['rows'], 0, 0xffff),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function record(what: string, value: unknown): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${what} is not an object`);
  return value as Fields;
}

function allowKeys(what: string, fields: Fields, allowed: readonly string[]): void {
  const unknown = Object.keys(fields).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw unknownKey(what, renderArgument(unknown.slice(0, maxShown)));
}

function unknownKey(what: string, key: string): ClawrdenError {
  return invalid(`${what} has a key that is not known: ${key}`);
}

function list<T>(what: string, value: unknown, item: (what: string, value: unknown) => T): T[] {
  if (!Array.isArray(value)) throw invalid(`${what} is not a list`);
  return value.map((each) => item(`an item of ${what}`, each));
}

function text(what: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`${what} is not a string`);
  if (value.includes('\0')) throw invalid(`${what} holds a NUL`);
  return value;
}

function variable(what: string, value: unknown): string {
  const pair = text(what, value);
  if (pair.indexOf('=') < 1) throw invalid(`${what} is not NAME=value`);
  return pair;
}

function signalNumber(what: string, value: unknown): number {
  return integer(what, value, 1, 64);
}

function integer(what: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw invalid(`${what} is not an integer from ${least} to ${most}`);
  }
  return value;
}

function invalid(why: string): ClawrdenError {
  return new ClawrdenError('request-invalid', why);
}
