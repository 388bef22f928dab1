import { Command } from 'commander';
import type { Label } from '../../gen/clawrden/v1/execution.ts';
import type { ApiToken } from '../../gen/clawrden/v1/warden.ts';
import type { Cell } from '../print/output.ts';
import { addLabel } from '../reach/label-option.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { parseSeconds, scopeText } from './principal-options.ts';
import { tokenNote } from './token-note.ts';

interface CreateOptions extends GatewayOptions {
  readonly role: string;
  readonly agents?: readonly Label[];
  readonly agent?: string;
  readonly ttl?: number;
}

interface RotateOptions extends GatewayOptions {
  readonly overlap?: number;
}

interface RemoveOptions extends GatewayOptions {
  readonly reason?: string;
}

export function tokensCommand(): Command {
  const create = gatewayClientCommand('create', 'make an API token; what it says is printed once')
    .argument('<name>')
    .requiredOption('--role <role>', 'orchestrator or viewer for a program, agent for an agent')
    .option('--agents <label=value>', 'only agents with this label; may be given again', addLabel)
    .option('--agent <name>', 'with --role agent: which')
    .option('--ttl <duration>', 'how long it counts; without it there is no end', parseSeconds)
    .action((name: string, _options, command: Command) => createToken(name, command.optsWithGlobals()));
  const list = gatewayClientCommand('list', 'the API tokens, and when each was last used').action(
    (_options, command: Command) => listTokens(command.optsWithGlobals()),
  );
  const rotate = gatewayClientCommand('rotate', 'let a token say something else; prints it once')
    .argument('<name>')
    .option('--overlap <duration>', 'how long the former one still counts', parseSeconds)
    .action((name: string, _options, command: Command) => rotateToken(name, command.optsWithGlobals()));
  const remove = gatewayClientCommand('remove', 'end a token, for good')
    .argument('<name>')
    .option('--reason <text>', 'for the record')
    .action((name: string, _options, command: Command) => removeToken(name, command.optsWithGlobals()));
  return new Command('tokens')
    .description('API tokens of programs and agents')
    .addCommand(create)
    .addCommand(list)
    .addCommand(rotate)
    .addCommand(remove);
}

async function createToken(
  name: string,
  { role, agents = [], agent = '', ttl = 0, ...options }: CreateOptions,
): Promise<void> {
  await withGateway('tokens', options, async (client) => {
    const { WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
    const request = { name, role, scope: [...agents], agent, ttl: BigInt(ttl) };
    await printText(await client.call(WardenServiceService.createApiToken, request), options);
  });
}

async function rotateToken(name: string, { overlap = 0, ...options }: RotateOptions): Promise<void> {
  await withGateway('tokens', options, async (client) => {
    const { WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
    await printText(await client.call(WardenServiceService.rotateApiToken, { name, overlap }), options);
  });
}

async function printText(
  { text, token }: { readonly text: string; readonly token?: ApiToken | undefined },
  { json }: GatewayOptions,
): Promise<void> {
  const [{ printJson, printWhole }, { tell }] = await Promise.all([
    import('../print/output.ts'),
    import('../print/tell.ts'),
  ]);
  if (json === true) return printJson({ text, token });
  printWhole(text);
  tell(`lets ${token?.principal} in; it is not shown again`);
}

async function listTokens(options: GatewayOptions): Promise<void> {
  await withGateway('tokens', options, async (client) => {
    const [{ WardenServiceService }, { readPages }, { printJson, printTable }, { localTime }] =
      await Promise.all([
        import('../../gen/clawrden/v1/warden.ts'),
        import('../reach/read-pages.ts'),
        import('../print/output.ts'),
        import('../print/times.ts'),
      ]);
    const { rows: all } = await readPages<ApiToken>({}, async ({ pageToken }) => {
      const { tokens, nextPageToken } = await client.call(WardenServiceService.listApiTokens, { pageToken });
      return { rows: tokens, next: nextPageToken };
    });
    if (options.json === true) return printJson(all);
    const rows = all.map((token): Cell[] => [
      ...[token.name, token.principal, token.role, scopeText(token.scope)],
      token.expiresAt === '' ? 'never' : localTime(token.expiresAt),
      ...[localTime(token.usedAt) || 'never', token.usedFrom, token.setBy],
      [tokenNote(token, Date.now()), 'yellow'],
    ]);
    printTable(['TOKEN', 'LETS IN', 'ROLE', 'AGENTS', 'ENDS', 'LAST USED', 'FROM', 'SET BY', ''], rows);
  });
}

async function removeToken(name: string, { reason = '', ...options }: RemoveOptions): Promise<void> {
  await withGateway('tokens', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
    ]);
    await client.call(WardenServiceService.removeApiToken, { name, reason });
    if (options.json === true) return printJson({ removed: name });
    printLine(['done ', 'green'], `the API token ${name} counts no more`);
  });
}
