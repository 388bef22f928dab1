import type { Command } from 'commander';
import { CliError } from '../reach/cli-error.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface LinkOptions extends GatewayOptions {
  readonly user?: string;
  readonly oidc?: string;
  readonly slack?: string;
  readonly telegram?: string;
  readonly reason?: string;
}

/** Which principals are one person. */
export const linkCommands = {
  link: () => linkCommand('link', 'say that a principal is this person: the two never count as two'),
  unlink: () => linkCommand('unlink', 'say that a principal is not this person after all'),
};

function linkCommand(word: 'link' | 'unlink', description: string): Command {
  return gatewayClientCommand(word, description)
    .argument('<name>')
    .option('--user <name>', 'another person of this gateway')
    .option('--oidc <sub>', 'the subject of the OIDC provider')
    .option('--slack <team/user>', 'a user of Slack')
    .option('--telegram <id>', 'a user of Telegram')
    .option('--reason <text>', 'for the record')
    .action((name: string, _options, command: Command) => change(word, name, command.optsWithGlobals()));
}

function principalOf({ user, oidc, slack, telegram }: LinkOptions): string {
  const given = Object.entries({ person: user, oidc, slack, telegram }).flatMap(([kind, value]) =>
    value === undefined ? [] : [`${kind}:${value}`],
  );
  const [principal] = given;
  if (principal !== undefined && given.length === 1) return principal;
  throw new CliError('users', 'say one principal', 'give one of --user, --oidc, --slack, --telegram');
}

async function change(word: 'link' | 'unlink', name: string, options: LinkOptions): Promise<void> {
  const request = { name, principal: principalOf(options), reason: options.reason ?? '' };
  await withGateway('users', options, async (client) => {
    const [{ WardenServiceService }, { printFolded, printJson }, { quoteText }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../../text/render-text.ts'),
    ]);
    if (word === 'link') await client.call(WardenServiceService.linkUser, request);
    else await client.call(WardenServiceService.unlinkUser, request);
    if (options.json === true) return printJson({ [`${word}ed`]: request.principal, name });
    const not = word === 'link' ? '' : 'not ';
    printFolded(['done ', 'green'], `${quoteText(request.principal)} is ${not}${name}`);
  });
}
