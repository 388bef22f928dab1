import type { Command } from 'commander';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

interface DrainOptions extends GatewayOptions {
  readonly reason?: string;
}

const words = {
  drain: {
    draining: true,
    description: 'give a Docker host no new work; what runs there continues to its end',
  },
  undrain: { draining: false, description: 'give a Docker host work again' },
} as const;

type Word = keyof typeof words;

export function drainCommand(): Command {
  return hostCommand('drain');
}

export function undrainCommand(): Command {
  return hostCommand('undrain');
}

function hostCommand(word: Word): Command {
  return gatewayClientCommand(word, words[word].description)
    .argument('<host>', 'its name in gateway.yaml')
    .option('--reason <text>', 'for the record')
    .action((host: string, _options, command: Command) => setDraining(word, host, command.optsWithGlobals()));
}

async function setDraining(word: Word, host: string, options: DrainOptions): Promise<void> {
  await withGateway(word, options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('../print/output.ts'),
    ]);
    const request = { host, draining: words[word].draining, reason: options.reason ?? '' };
    const { host: now } = await client.call(WardenServiceService.setHostDraining, request);
    if (options.json === true) return printJson(now ?? {});
    printLine(['done ', 'green'], `${host} is ${now?.state ?? ''}, ${now?.running ?? 0} running there`);
  });
}
