import { Command } from 'commander';
import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { CliError } from './cli-error.ts';
import type { Context } from './context.ts';

export interface GatewayOptions {
  readonly json?: boolean;
  readonly context?: string;
}

/** A command that asks the gateway and prints its answer. */
export function gatewayClientCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print JSON')
    .option('--context <file>', 'where the gateway is and who you are');
}

/** Connects as the person of the context. If the gateway refuses, throws a CliError about `what`. */
export async function withGateway<T>(
  what: string,
  options: GatewayOptions,
  use: (client: GatewayClient) => Promise<T>,
): Promise<T> {
  const { readContext } = await import('./context.ts');
  const context = readContext(options.context);
  const client = await connect(context);
  try {
    const result = await use(client);
    await renewIfDue(client, context.identity);
    return result;
  } catch (error) {
    const { toCliError } = await import('./grpc-error.ts');
    throw toCliError(error, what, context);
  } finally {
    client.close();
  }
}

/** After what was asked for: a certificate that cannot be renewed now still counts. */
async function renewIfDue(client: GatewayClient, identity: string): Promise<void> {
  const { renewIdentity } = await import('../../gateway-client/renew-identity.ts');
  const problem = await renewIdentity(client, identity);
  if (problem === '') return;
  const { tell } = await import('../print/tell.ts');
  tell(`clawrden: your certificate: ${problem}`);
}

/** Throws a CliError if the identity of the context cannot be used. Only the first call shows whether the gateway is there. */
export async function connect({ file, gateway, identity, trust }: Context): Promise<GatewayClient> {
  const { connectGateway } = await import('../../gateway-client/connect-gateway.ts');
  return await connectGateway({ address: gateway, identityDir: identity, trust }).catch((error: Error) => {
    throw new CliError('context', error.message, `mend what ${file} names`);
  });
}
