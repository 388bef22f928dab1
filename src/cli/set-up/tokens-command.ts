import { Command } from 'commander';
import type { Label } from '../../gen/clawrden/v1/execution.ts';
import type { ApiToken } from '../../gen/clawrden/v1/warden.ts';
import type { Cell } from '../print/output.ts';
import { addLabel } from '../reach/label-option.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { parseSeconds, scopeText } from './principal-options.ts';
import { removeCommand } from './remove-command.ts';
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
  const certificate = gatewayClientCommand(
    'certificate',
    'print a code: a certificate for the program of a token',
  )
    .argument('<name>')
    .action((name: string, _options, command: Command) => createProgramCode(name, command.optsWithGlobals()));
  const remove = removeCommand({
    of: 'tokens',
    description: 'end a token, for good',
    method: 'removeApiToken',
    told: (name) => `the API token ${name} counts no more`,
  });
  return new Command('tokens')
    .description('API tokens of programs and agents')
    .addCommand(create)
    .addCommand(list)
    .addCommand(rotate)
    .addCommand(certificate)
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

async function createProgramCode(name: string, options: GatewayOptions): Promise<void> {
  await withGateway('tokens', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printWhole }, { tell }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../print/tell.ts'),
    ]);
    const { code, codeExpiresAt } = await client.call(WardenServiceService.createProgramCode, { name });
    if (options.json === true) return printJson({ code, codeExpiresAt });
    printWhole(code);
    tell(
      `lets program:${name} in once, until ${codeExpiresAt}: clawrden login --gateway HOST:PORT --code CODE`,
    );
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
    const [{ WardenServiceService }, { allRows }, { printJson, printTable }, { localTime }] =
      await Promise.all([
        import('../../gen/clawrden/v1/warden.ts'),
        import('../reach/all-rows.ts'),
        import('../print/output.ts'),
        import('../print/times.ts'),
      ]);
    const all = await allRows(client, WardenServiceService.listApiTokens, ({ tokens }) => tokens);
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
