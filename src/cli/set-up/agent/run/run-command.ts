import { Command } from 'commander';
import { addRunOptions, type RunOptions } from './add-run-options.ts';

export function runCommand(): Command {
  const command = new Command('run')
    .description("start an image as an agent's container, closed; otherwise as docker run does")
    .usage('NAME [options] IMAGE [COMMAND ...]')
    .argument('<name>', 'an agent of this host')
    .argument('[rest...]', 'options, the image, and what it runs')
    .passThroughOptions();
  return addRunOptions(command).action(async (name: string, rest: string[]) => {
    // The options stand behind the name, where commander takes no more of them by itself.
    const { operands, unknown } = command.parseOptions(rest);
    const [other] = unknown;
    if (other !== undefined) command.error(`error: unknown option '${other}'`);
    if (operands.length === 0) command.error("error: missing required argument 'image'");
    const [{ endAs }, { runAgent }] = await Promise.all([import('./end-as.ts'), import('./run-agent.ts')]);
    await endAs(() => runAgent(name, operands, command.opts<RunOptions>()));
  });
}
