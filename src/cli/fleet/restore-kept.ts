import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type KeptFile, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { listKept, shownPath } from './print-conflicts.ts';

export interface Restored {
  readonly agent: string;
  readonly id: string;
  readonly path: string | undefined;
  readonly reason: string;
}

/** A file may have gigabytes. */
const restoreWithinMs = 10 * 60_000;

/** One after the other: each is there before the next begins, and the first that cannot be is the last. */
export async function restoreKept(
  client: GatewayClient,
  asked: Restored,
  options: GatewayOptions,
): Promise<void> {
  const { agent, id, reason } = asked;
  const files = await filesToRestore(client, asked);
  const done: object[] = [];
  for (const { number, path } of files) {
    const request = { agent, id, number, reason };
    const { replacedId } = await client.call(WardenServiceService.restoreKeptFile, request, restoreWithinMs);
    done.push({ path: shownPath(path), pathBase64: Buffer.from(path).toString('base64'), replacedId });
    const replaced = replacedId === '' ? '' : `; what was there is kept as ${replacedId}`;
    if (options.json !== true) printLine(['done ', 'green'], `${shownPath(path)}${replaced}`);
  }
  if (options.json === true) printJson(done);
}

async function filesToRestore(client: GatewayClient, { agent, id, path }: Restored): Promise<KeptFile[]> {
  const { rows } = await listKept(client, { agent, id }, {});
  const files = path === undefined ? rows.filter(({ kept }) => kept !== '') : filesAt(rows, path);
  if (files.length > 0) return files;
  const what = path === undefined ? 'nothing is kept' : 'no such file is kept';
  throw new CliError(
    'workspace restore',
    `of set ${id} ${what}`,
    `see clawrden workspace conflicts ${agent}`,
  );
}

/** As it is shown; only what no file is shown as is taken for the bytes themselves. */
export function filesAt<File extends Pick<KeptFile, 'path'>>(files: readonly File[], path: string): File[] {
  const shown = files.filter((file) => shownPath(file.path) === path);
  return shown.length > 0 ? shown : files.filter((file) => Buffer.from(path).equals(file.path));
}
