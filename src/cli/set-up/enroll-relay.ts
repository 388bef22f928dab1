import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Enrolled, enroll } from '../../gateway-client/enroll.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { toCliError } from '../reach/grpc-error.ts';
import { readPiped } from './read-piped.ts';
import { refuseOpenFolder } from './refuse-open-folder.ts';
import { writeRelayYaml } from './relay-yaml.ts';

export interface EnrollOptions {
  readonly gateway: string;
  readonly token: string;
  readonly dir: string;
  readonly trust?: string;
  readonly json?: boolean;
}

/** Keeps an existing relay.yaml: a second enrolment only renews the certificate. */
export async function enrollRelay(options: EnrollOptions): Promise<void> {
  const { gateway, dir, trust, json } = options;
  const folder = resolve(dir);
  const file = join(folder, 'relay.yaml');
  await refuseOpenFolder('relay enroll', folder);
  const token = await readPiped('relay enroll', options.token);
  const kept = existsSync(file);
  // Before the certificate counts: who finds that there has all.
  const keep = async (answer: Enrolled) => (kept ? undefined : await writeRelayYaml(file, answer, trust));
  const enrolled = await enroll({
    address: gateway,
    token,
    as: 'relay',
    identityDir: folder,
    trust,
    keep,
  }).catch((error: Error) => {
    const refused = 'make another token with clawrden relay invite';
    const known = toCliError(error, 'relay enroll', { gateway, refused });
    throw known === error ? new CliError('relay enroll', error.message, 'check the options') : known;
  });
  const { name: relay, agents } = enrolled;
  if (json === true) return printJson({ relay, agents, gateway: enrolled.gateway, config: file });
  printLine(['enrolled ', 'green'], `${relay}, for ${agents.join(', ')}`);
  printLine('  certificate and key  ', folder);
  printLine('  settings             ', file, kept ? ' (kept as it was)' : '');
  printLine('next: run  ', [`clawrden relay --config ${file}`, 'bold']);
}
