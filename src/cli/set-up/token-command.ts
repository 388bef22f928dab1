import { Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../config/quantities.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface TokenOptions extends GatewayOptions {
  readonly relay: string;
  readonly agent: readonly string[];
  readonly ttl: number;
}

export function tokenCommand(): Command {
  const create = gatewayClientCommand('create', 'make a token that enrols one relay, once')
    .requiredOption('--relay <name>', 'the relay, as gateway.yaml names it')
    .requiredOption('--agent <name>', 'an agent it may speak for; may be given again', addAgent)
    .option('--ttl <duration>', 'how long the token can be used', parseTtl, 3600)
    .action((_options, command: Command) => createToken(command.optsWithGlobals()));
  return new Command('token').description('tokens that enrol relays').addCommand(create);
}

function addAgent(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}

/** Whole seconds. */
function parseTtl(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 1000) throw new InvalidArgumentError('It must be a duration like 1h or 30m.');
  return Math.floor(ms / 1000);
}

async function createToken({ relay, agent, ttl, ...options }: TokenOptions): Promise<void> {
  await withGateway('token', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printWhole }, { tell }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../print/tell.ts'),
    ]);
    const request = { relay, agents: [...agent], ttl };
    const { token, expiresAt } = await client.call(WardenServiceService.createEnrolmentToken, request);
    if (options.json === true) return printJson({ token, relay, agents: agent, expiresAt });
    printWhole(token);
    tell(`works once, until ${expiresAt}; use it with clawrden relay enroll`);
  });
}
