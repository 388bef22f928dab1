import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readContext } from '../../reach/context.ts';
import { lockedNames } from '../agent/locked-names.ts';
import { checkGateway } from './check-gateway.ts';
import { checkGatewayFiles } from './check-gateway-files.ts';
import { checkDisk, checkNative, checkNode } from './check-machine.ts';
import { checkRelayFiles } from './check-relay-files.ts';
import type { Finding } from './finding.ts';
import { printFindings } from './print-findings.ts';

export interface DoctorOptions {
  /** gateway.yaml */
  readonly config?: string;
  /** relay.yaml */
  readonly relay?: string;
  readonly context?: string;
  /** Names with commas between them: programs that must be locked in the images of agents. */
  readonly locked?: string;
  readonly json?: boolean;
}

/** Exit status 1 if any finding is an error. */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  const config = options.config ?? found(besideContext(options.context)) ?? found('gateway.yaml');
  const relay = options.relay ?? found('relay.yaml');
  const findings = eachOnce([
    checkNode(),
    ...checkNative(),
    ...(config === undefined ? [await checkDisk('.')] : await checkGatewayFiles(config)),
    ...(relay === undefined ? [] : await checkRelayFiles(relay, lockedNames(options.locked, 'doctor'))),
    ...(await checkGateway(options.context)),
  ]);
  printFindings(findings, options.json === true);
}

/** What the files say and the gateway says again. */
function eachOnce(findings: readonly Finding[]): Finding[] {
  const first = ({ check, text }: Finding) =>
    findings.findIndex((each) => each.check === check && each.text === text);
  return findings.filter((finding, index) => first(finding) === index);
}

function besideContext(explicit: string | undefined): string {
  try {
    const { file, identity } = readContext(explicit);
    // `init` puts the admin's identity into the state folder.
    return (
      [dirname(file), dirname(identity)].map((folder) => join(folder, 'gateway.yaml')).find(existsSync) ?? ''
    );
  } catch {
    // A broken context is a separate finding.
    return '';
  }
}

function found(file: string): string | undefined {
  return file !== '' && existsSync(file) ? file : undefined;
}
