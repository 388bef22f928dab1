import { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { parseSeconds } from './principal-options.ts';

interface TokenOptions extends GatewayOptions {
  readonly relay: string;
  readonly agent: readonly string[];
  readonly ttl: number;
}

/** The former name of `relay invite`. */
export function tokenCommand(): Command {
  const create = inviting('create')
    .requiredOption('--relay <name>', 'the relay, as gateway.yaml names it')
    .action((_options, command: Command) => createToken(command.optsWithGlobals()));
  return new Command('token').description('the former name of relay invite').addCommand(create);
}

export function inviteCommand(): Command {
  return inviting('invite')
    .argument('<name>', 'the relay, as gateway.yaml names it')
    .action((relay: string, _options, command: Command) =>
      createToken({ ...command.optsWithGlobals(), relay }),
    );
}

function inviting(name: string): Command {
  return gatewayClientCommand(name, 'make a token that enrols one relay, once')
    .requiredOption('--agent <name>', 'an agent it may speak for; may be given again', addAgent)
    .option('--ttl <duration>', 'how long the token can be used', parseSeconds, 3600);
}

function addAgent(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
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
