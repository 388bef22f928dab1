import { Command } from 'commander';
import { become } from './become.ts';

export function gatewayCommand(): Command {
  return new Command('gateway')
    .description('run the gateway')
    .option('--config <file>', 'gateway.yaml', 'gateway.yaml')
    .action(({ config }: { config: string }) => become('gateway', config));
}
