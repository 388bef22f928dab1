import { Command } from 'commander';
import type { Cell } from '../print/output.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

/** `clawrden secrets …`. */
export function secretsCommand(): Command {
  const list = gatewayClientCommand('list', 'the secrets of gateway.yaml, by name').action(
    (_options, command: Command) => secrets(false, command.optsWithGlobals()),
  );
  const check = gatewayClientCommand('check', 'whether each can be read').action(
    (_options, command: Command) => secrets(true, command.optsWithGlobals()),
  );
  return new Command('secrets')
    .description('named values that the gateway holds; nothing here says what they are')
    .addCommand(list)
    .addCommand(check);
}

async function secrets(check: boolean, options: GatewayOptions): Promise<void> {
  await withGateway('secrets', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printTable }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
    ]);
    const { secrets: all } = await client.call(WardenServiceService.getSecrets, { check });
    if (check && all.some(({ problem }) => problem !== '')) process.exitCode = 1;
    if (options.json === true)
      return printJson(check ? all : all.map(({ name, source }) => ({ name, source })));
    const rows = all.map(({ name, source, problem }): Cell[] => [
      ...[name, source],
      ...(check ? [stateCell(problem)] : []),
    ]);
    printTable(['SECRET', 'SOURCE', ...(check ? ['STATE'] : [])], rows);
  });
}

function stateCell(problem: string): Cell {
  return problem === '' ? ['can be read', 'green'] : [problem, 'red'];
}
