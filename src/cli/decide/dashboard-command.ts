import type { Command } from 'commander';
import { isLoopback } from '../../config/loopback.ts';
import { CliError } from '../reach/cli-error.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface DashboardOptions extends GatewayOptions {
  readonly open: boolean;
}

export function dashboardCommand(): Command {
  return gatewayClientCommand('dashboard', 'sign a browser in as you')
    .option('--no-open', 'print the link, and open nothing')
    .action((_options, command: Command) => dashboard(command.optsWithGlobals()));
}

async function dashboard({ open, ...options }: DashboardOptions): Promise<void> {
  await withGateway('dashboard', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printWhole }, { tell }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
      import('../print/tell.ts'),
    ]);
    const { code, expiresAt, url } = await client.call(WardenServiceService.createSignInCode, {});
    const link = linkOf(url, code);
    if (options.json === true) return printJson({ link, expiresAt });
    printWhole(link);
    tell('lets one browser in as you, once, within a minute; show it to nobody');
    const { readContext } = await import('../reach/context.ts');
    const { file, gateway } = readContext(options.context);
    const elsewhere = isElsewhere(url, gateway);
    if (elsewhere !== undefined) return tell(elsewhere);
    if (!open || !process.stdout.isTTY) return;
    const { openLink } = await import('./open-link.ts');
    const problem = await openLink(link, file);
    if (problem !== undefined) tell(`clawrden: ${problem}; open the link yourself`);
  });
}

/** Browsers send a fragment to nobody: no server and no proxy has it in its log. */
function linkOf(url: string, code: string): string {
  const isOrigin = /^https?:/.test(url) && URL.canParse(url) && new URL(url).origin === url;
  if (isOrigin && /^[\w-]{1,256}$/.test(code)) return `${url}/#code=${code}`;
  throw new CliError('dashboard', 'the gateway answers with no link', 'see that it is of this version');
}

/** What to do if the link leads to this machine, and the gateway is another one. */
function isElsewhere(url: string, gateway: string): string | undefined {
  const { hostname, port } = new URL(url);
  const [host = ''] = gateway.split(/:\d+$/);
  const [page, here] = [hostname, host].map((each) => isLoopback(each.replace(/^\[|\]$/g, '')));
  if (!page || here) return undefined;
  return `it is open to the gateway's own machine only: forward it first, ssh -L ${port}:${hostname}:${port} ${host}`;
}
