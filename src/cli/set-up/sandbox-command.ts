import { Command } from 'commander';
import { collect } from './agent/run/add-run-options.ts';
import type { SandboxOptions } from './sandbox/run-sandbox.ts';

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run a program as an agent of this host without Docker, closed by bubblewrap')
    .usage('--agent NAME [options] -- COMMAND [ARG ...]')
    .argument('<command...>', 'what runs, behind --')
    .requiredOption('--agent <name>', 'an agent of this host')
    .option('--config <file>', 'relay.yaml', 'relay.yaml')
    .option('--workspace <dir>', "the agent's workspace (default: as gateway.yaml has it)")
    .option('--allow <path>', 'a path of this machine to be read inside; may be given again', collect, [])
    .option('--writable <name>', 'a guarded name that may be written; may be given again', collect, [])
    .passThroughOptions()
    .action(async (line: string[], options: SandboxOptions) => {
      const [{ endAs }, { runSandbox }] = await Promise.all([
        import('./agent/run/end-as.ts'),
        import('./sandbox/run-sandbox.ts'),
      ]);
      await endAs(() => runSandbox(line, options));
    });
}
