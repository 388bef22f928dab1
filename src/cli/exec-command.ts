import { Command } from 'commander';
export function execCommand(): Command {
  return new Command('exec');
}
