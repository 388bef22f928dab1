import { Command } from 'commander';
import type { Label } from '../../gen/clawrden/v1/execution.ts';
import type { User } from '../../gen/clawrden/v1/warden.ts';
import type { Cell } from '../print/output.ts';
import { addLabel } from '../reach/label-option.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { linkCommands } from './link-commands.ts';
import { parseSeconds, scopeText } from './principal-options.ts';
import { removeCommand } from './remove-command.ts';

interface AddOptions extends GatewayOptions {
  readonly role: string;
  readonly agents?: readonly Label[];
  readonly ttl?: number;
  readonly replace?: boolean;
}

export function usersCommand(): Command {
  const add = gatewayClientCommand('add', 'let a person in; prints a code for clawrden login')
    .argument('<name>')
    .requiredOption('--role <role>', 'viewer, approver, operator or admin')
    .option('--agents <label=value>', 'only agents with this label; may be given again', addLabel)
    .option('--ttl <duration>', 'how long the person is known; without it there is no end', parseSeconds)
    .option('--replace', 'give a known person these rights and no others, and another code')
    .action((name: string, _options, command: Command) => addUser(name, command.optsWithGlobals()));
  const list = gatewayClientCommand('list', 'the people, and what they may do').action(
    (_options, command: Command) => listUsers(command.optsWithGlobals()),
  );
  const remove = removeCommand({
    of: 'users',
    description: 'end what a person may do, for good',
    method: 'removeUser',
    told: (name) => `${name} is out for good`,
  });
  return new Command('users')
    .description('people: who may look, answer, operate')
    .addCommand(add)
    .addCommand(list)
    .addCommand(remove)
    .addCommand(linkCommands.link())
    .addCommand(linkCommands.unlink());
}

async function addUser(
  name: string,
  { role, agents = [], ttl = 0, replace = false, ...options }: AddOptions,
): Promise<void> {
  await withGateway('users', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printWhole }, { tell }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../print/tell.ts'),
    ]);
    const request = { name, role, scope: [...agents], ttl: BigInt(ttl), replace };
    const { user, code, codeExpiresAt } = await client.call(WardenServiceService.setUser, request);
    if (options.json === true) return printJson({ user, code, codeExpiresAt });
    printWhole(code);
    tell(`lets ${name} in once, until ${codeExpiresAt}: clawrden login --gateway HOST:PORT --code CODE`);
  });
}

async function listUsers(options: GatewayOptions): Promise<void> {
  await withGateway('users', options, async (client) => {
    const [{ WardenServiceService }, { allRows }, { printJson, printTable }, { localTime }, { renderText }] =
      await Promise.all([
        import('../../gen/clawrden/v1/warden.ts'),
        import('../reach/all-rows.ts'),
        import('../print/output.ts'),
        import('../print/times.ts'),
        import('../../text/render-text.ts'),
      ]);
    const people = await allRows(client, WardenServiceService.listUsers, ({ users }) => users);
    if (options.json === true) return printJson(people);
    const rows = people.map(({ name, role, scope, provider, expiresAt, setBy, setAt, links }): Cell[] => [
      ...[name, ...rightsText(provider?.rights ?? [{ role, scope }])],
      expiresAt === '' ? 'never' : localTime(expiresAt),
      ...[setBy, localTime(setAt), links.map(renderText).join(' ')],
    ]);
    printTable(['PERSON', 'ROLE', 'AGENTS', 'ENDS', 'SET BY', 'AT', 'LINKED'], rows);
  });
}

/** Of each right the role, and in the next cell the scope. */
function rightsText(rights: readonly Pick<User, 'role' | 'scope'>[]): [string, string] {
  if (rights.length === 0) return ['none', ''];
  return [
    rights.map(({ role }) => role).join(' | '),
    rights.map(({ scope }) => scopeText(scope)).join(' | '),
  ];
}
