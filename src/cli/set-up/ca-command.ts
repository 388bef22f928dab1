import { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { parseSeconds } from './principal-options.ts';

interface RotateOptions extends GatewayOptions {
  readonly overlap: number;
  readonly reason?: string;
}

const days30 = 30 * 86_400;

export function caCommand(): Command {
  const rotate = gatewayClientCommand('rotate', 'let another authority sign certificates from now on')
    .option(
      '--overlap <duration>',
      'how long certificates of the former one still count (default: 30d)',
      parseSeconds,
      days30,
    )
    .option('--reason <text>', 'for the record')
    .action((_options, command: Command) => rotateAuthority(command.optsWithGlobals()));
  return new Command('ca').description("the gateway's certificate authority").addCommand(rotate);
}

async function rotateAuthority({ overlap, reason = '', ...options }: RotateOptions): Promise<void> {
  const { WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
  const made = await withGateway('ca', options, (client) =>
    client.call(WardenServiceService.rotateAuthority, { overlap, reason }),
  );
  // Who rotates moves first, over a connection that is told of the new one: the overlap may be short.
  await withGateway('ca', options, (client) => client.call(WardenServiceService.getStatus, {}));
  const [{ printJson, printLine }, { localTime }] = await Promise.all([
    import('../print/output.ts'),
    import('../print/times.ts'),
  ]);
  if (options.json === true) return printJson(made);
  const until = localTime(made.formerUntil);
  printLine(
    ['done ', 'green'],
    `another authority signs; certificates of the former one count until ${until}`,
  );
  printLine('  fingerprint  ', made.fingerprint);
  printLine('  who has not moved yet: clawrden doctor');
}
