import { Command, Option } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { parseSeconds } from './principal-options.ts';

interface RotateOptions extends GatewayOptions {
  readonly overlap: number;
  readonly now?: boolean;
  readonly reason?: string;
}

export function keysCommand(): Command {
  const rotate = gatewayClientCommand('rotate', 'let another key sign tokens and the audit from now on')
    .option('--overlap <duration>', 'how long tokens of the former key still count', parseSeconds, 3600)
    .addOption(new Option('--now', 'not at all: the former key was stolen').conflicts('overlap'))
    .option('--reason <text>', 'for the record')
    .action((_options, command: Command) => rotateKey(command.optsWithGlobals()));
  return new Command('keys').description("the gateway's signing key").addCommand(rotate);
}

async function rotateKey({ overlap, now, reason = '', ...options }: RotateOptions): Promise<void> {
  await withGateway('keys', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine, printWhole }, { localTime }] = await Promise.all(
      [import('../../gen/clawrden/v1/warden.ts'), import('../print/output.ts'), import('../print/times.ts')],
    );
    const request = { overlap: now === true ? 0 : overlap, reason };
    const { publicKey, formerUntil } = await client.call(WardenServiceService.rotateSigningKey, request);
    if (options.json === true) return printJson({ publicKey, formerUntil });
    const until = now === true ? 'no more' : `until ${localTime(formerUntil)}`;
    printLine(['done ', 'green'], `another key signs; tokens and codes of the former ones count ${until}`);
    printLine('for those who verify the audit elsewhere:');
    printWhole(publicKey.trimEnd());
  });
}
