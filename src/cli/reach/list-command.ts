import { type Command, InvalidArgumentError } from 'commander';
import { gatewayClientCommand } from './with-gateway.ts';

/** A command with the options of every list that may be long. */
export function listCommand(name: string, description: string): Command {
  return gatewayClientCommand(name, description)
    .option('--limit <number>', 'how many at most', parseCount(1), 100)
    .option('--page <token>', 'continue an earlier list');
}

const most = 100_000;

/** Reads the value of an option that says how many rows. */
export function parseCount(least: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least && count <= most) return count;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}
