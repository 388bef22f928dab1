import type { KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { nameOf } from '../../audit/open-regular.ts';
import type { Recorded } from '../../audit/recorded-link.ts';
import type { AuditReport, Problem } from '../../audit/verify-audit.ts';
import { readTextFile } from '../../config/read-text-file.ts';
import { stateFiles } from '../../pki/state-files.ts';
import { printFacts, printJson } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { parseCount } from '../reach/list-command.ts';
import { type GatewayOptions, gatewayClientCommand } from '../reach/with-gateway.ts';
import type { TailWish } from './follow-audit.ts';

/** `clawrden audit …`. `verify` reads the files itself: an audit must be checkable without the gateway. */
export function auditCommands(): Command {
  return new Command('audit')
    .description('check and read the audit log')
    .enablePositionalOptions()
    .addCommand(verifyCommand())
    .addCommand(tailCommand());
}

interface VerifyOptions {
  readonly key?: string;
  /** False if the log is to be checked without one. */
  readonly database?: string | false;
  readonly from?: number;
  readonly json?: boolean;
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('follow the hash chain, through rotated parts too, and name the first bad record')
    .argument('[file]', 'the log', 'audit.jsonl')
    .option(
      '--key <file>',
      "one of the gateway's signing keys, public or private (default: signing-key.pem beside the log)",
    )
    .option(
      '--database <file>',
      "the gateway's, which knows the last record (default: clawrden.db beside the log, if it is yours)",
    )
    .option('--no-database', 'do not compare the last record with what a database knows')
    .option(
      '--from <record>',
      'records before this one need not be there: you moved their files away',
      parseNumber,
    )
    .option('--json', 'machine-readable')
    .action(verify);
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a record's number.");
}

async function verify(file: string, options: VerifyOptions): Promise<void> {
  const [{ openAudit, strayParts, unreadNames }, { verifyAudit }] = await Promise.all([
    import('../../audit/audit-files.ts'),
    import('../../audit/verify-audit.ts'),
  ]);
  const key = await readKey(file, options.key);
  // First, because records that are appended meanwhile are in the files only.
  const recorded = await recordedIn(file, options.database);
  await using log = await openAudit(file).catch(unreadable(file));
  const files = log.parts.map(nameOf);
  const strays = await strayParts(file).catch(unreadable(file));
  const unread = await unreadNames(file).catch(unreadable(file));
  await access(files.at(-1) ?? file, constants.R_OK).catch(unreadable(file));
  const report = await verifyAudit(log.parts, { key, recorded: recorded.link, from: options.from }).catch(
    unreadable(file),
  );
  const { problem } = report;
  if (options.json === true)
    printJson({
      ok: problem === undefined,
      files,
      strays,
      unread,
      signaturesChecked: key !== undefined,
      compared: recorded.link !== undefined,
      ...report,
    });
  else
    printFacts([
      ['files', String(files.length)],
      ...strays.map((stray) => ['no part', `${stray} is not a regular file: move it away`] as const),
      ...unread.map((name) => ['not read', `${name} does not have the name of a part`] as const),
      ['records', recordsIn(report)],
      ['signed heads', key === undefined ? `${report.heads}, not checked: give --key` : String(report.heads)],
      ['last record', lastRecordIn(recorded)],
      ...(report.rotations === 0 ? [] : [['signing keys', String(report.rotations + 1)] as const]),
      [
        'vouched for',
        report.vouchedFor === 0 ? 'nothing' : `records ${report.first} to ${report.vouchedFor}`,
      ],
    ]);
  if (problem === undefined) return;
  const where = `audit: ${problem.file}:${problem.line}`;
  throw new CliError(where, problem.why, wayOut(problem, report.first));
}

/** Throws if a database was named, and there is nothing in it to compare with. */
async function recordedIn(file: string, named: string | false | undefined): Promise<Recorded> {
  if (named === false) return { link: undefined, why: 'you said --no-database' };
  const { recordedLink } = await import('../../audit/recorded-link.ts');
  const database = named ?? join(dirname(file), stateFiles.database);
  const recorded = await recordedLink(database).catch(unusable(database));
  if (recorded.why === '') return recorded;
  if (named === undefined) return { ...recorded, why: `${database}: ${recorded.why}` };
  const way = "name the gateway's, and run this as the user who owns it, or say --no-database";
  throw new CliError(`audit: ${database}`, recorded.why, way);
}

function lastRecordIn({ link, why }: Recorded): string {
  return link === undefined ? `not compared: ${why}` : `${link.seq}, as the database knows it`;
}

/** From where on, if not from 1: a number of records alone does not say which ones they are. */
function recordsIn({ records, first }: AuditReport): string {
  return first > 1 ? `${records}, from ${first} on` : String(records);
}

function wayOut({ lacksBeginning }: Problem, first: number): string {
  return lacksBeginning === true
    ? `put back what is missing, or, if you moved it away, say --from ${first}`
    : 'nothing from there on can be relied on: keep the file as it is';
}

function unusable(database: string): (error: unknown) => never {
  return (error) => {
    const way = 'name another copy of it with --database, or say --no-database';
    throw new CliError(`audit: ${database}`, (error as Error).message, way);
  };
}

function unreadable(file: string): (error: unknown) => never {
  return (error) => {
    throw new CliError(
      `audit: ${file}`,
      (error as Error).message,
      "give the path of the gateway's audit log",
    );
  };
}

async function readKey(file: string, given: string | undefined): Promise<KeyObject | undefined> {
  const { createPublicKey } = await import('node:crypto');
  try {
    return createPublicKey(readTextFile(given ?? join(dirname(file), stateFiles.signingKey)));
  } catch (error) {
    if (given === undefined) return undefined;
    throw new CliError(`audit: ${given}`, (error as Error).message, "give the gateway's signing key, in PEM");
  }
}

interface TailOptions {
  readonly lines: number;
  readonly from?: number;
  readonly follow?: boolean;
}

function tailCommand(): Command {
  return gatewayClientCommand('tail', 'the newest records, as JSON lines')
    .argument('[file]', 'a log on this machine, in place of the records that the gateway gives')
    .option('-n, --lines <count>', 'how many', parseCount(0), 10)
    .option('--from <record>', 'not the newest, but all from this number on, in all parts', parseNumber)
    .option('-f, --follow', 'continue with new records, also after the gateway was away')
    .action(
      async (file: string | undefined, { lines, from, follow = false }: TailOptions, command: Command) => {
        if (file === undefined) return await tailGateway({ lines, from, follow }, command.optsWithGlobals());
        const { printAuditFrom, tailAudit } = await import('./tail-audit.ts');
        const printed =
          from === undefined ? tailAudit(file, lines, follow) : printAuditFrom(file, from, follow);
        await printed.catch(unreadable(file));
      },
    );
}

async function tailGateway(wish: TailWish, { context: named }: GatewayOptions): Promise<void> {
  const [{ readContext }, { printGatewaysAudit }] = await Promise.all([
    import('../reach/context.ts'),
    import('./follow-audit.ts'),
  ]);
  const context = readContext(named);
  try {
    await printGatewaysAudit(context, wish);
  } catch (error) {
    const { toCliError } = await import('../reach/grpc-error.ts');
    throw toCliError(error, 'audit', context);
  }
}
