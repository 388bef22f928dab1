import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { stringify } from 'yaml';
import { enroll } from '../../gateway-client/enroll.ts';
import { trustOf } from '../../pki/trust-file.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { contextFile, readContext } from '../reach/context.ts';
import { toCliError } from '../reach/grpc-error.ts';
import type { LoginOptions } from './login-command.ts';

/** Writes over what an earlier login left here, and over no other context. */
export async function login({ gateway, code, json, context, trust }: LoginOptions): Promise<void> {
  const file = contextFile(context);
  const identity = `${file.replace(/\.ya?ml$/, '')}.identity`;
  if (existsSync(file) && readContext(file).identity !== identity)
    throw new CliError('login', `${file} is another context`, 'name a file of your own with --context');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const options = { address: gateway, token: code, as: 'caller', identityDir: identity, trust } as const;
  const enrolled = await enroll(options).catch((error: Error) => {
    const refused =
      'ask for another code: clawrden users add NAME --replace, or clawrden tokens certificate NAME';
    const known = toCliError(error, 'login', { gateway, refused });
    throw known === error ? new CliError('login', error.message, 'check the options') : known;
  });
  const kept = { gateway: enrolled.gateway, identity: basename(identity), ...trustOf(trust) };
  await writeFile(`${file}.new`, stringify(kept), { mode: 0o600 });
  await rename(`${file}.new`, file);
  const { kind, name, gateway: served } = enrolled;
  if (json === true) return printJson({ [kind]: name, gateway: served, context: file });
  printLine([kind === 'program' ? 'this program is ' : 'you are ', 'green'], name);
  printLine('  certificate and key  ', identity);
  printLine('  context              ', file);
}
