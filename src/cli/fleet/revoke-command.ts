import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface RevokeOptions extends GatewayOptions {
  readonly reason?: string;
}

export function revokeCommand(): Command {
  return gatewayClientCommand('revoke', 'end what lets somebody in, with its connections and its work')
    .argument('<principal>', 'a relay, or person:NAME, program:NAME, agent:NAME')
    .option('--reason <text>', 'for the record')
    .action((name: string, _options, command: Command) => revoke(name, command.optsWithGlobals()));
}

async function revoke(name: string, { reason = '', ...options }: RevokeOptions): Promise<void> {
  await withGateway('revoke', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
    ]);
    const [kind, bare] = name.includes(':') ? name.split(':', 2) : ['relay', name];
    const principal = `${kind}:${bare}`;
    await client.call(WardenServiceService.revoke, { principal, reason });
    if (options.json === true) return printJson({ revoked: principal });
    printLine(['done ', 'green'], `${principal} is out; ${again(kind ?? '', bare ?? '')}`);
  });
}

function again(kind: string, name: string): string {
  const commands: Readonly<Record<string, string>> = {
    relay: `clawrden relay invite ${name} --agent A`,
    person: `clawrden users add ${name} --role R --replace`,
  };
  return `to let it in again: ${commands[kind] ?? 'clawrden tokens create NAME --role R'}`;
}
