import { Argument, Command } from 'commander';
import { writeOut } from '../print/streams.ts';
import { completionScripts, shellNames } from './completion-scripts.ts';
import { wordsFor } from './completion-words.ts';

/** `clawrden completion SHELL`: the script that a shell loads. It asks `completion words` at each Tab. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print what a shell loads to complete the commands and options of clawrden')
    .addArgument(new Argument('<shell>', 'which shell').choices(shellNames))
    .addHelpText(
      'after',
      '\nbash: eval "$(clawrden completion bash)" in ~/.bashrc\nzsh: eval "$(clawrden completion zsh)" in ~/.zshrc, after compinit\nfish: clawrden completion fish > ~/.config/fish/completions/clawrden.fish',
    )
    .action((shell: (typeof shellNames)[number]) => writeOut(completionScripts[shell]))
    .addCommand(wordsCommand(), { hidden: true });
}

function wordsCommand(): Command {
  return new Command('words')
    .description('print what may stand in place of the last word: a line each, with a tab before what it is')
    .argument('[words...]', 'the words behind clawrden, up to where the cursor is')
    .allowUnknownOption()
    .action((words: string[], _options, command: Command) => {
      const found = wordsFor(rootOf(command), words);
      writeOut(found.map(({ word, is }) => `${word}\t${is}\n`).join(''));
    });
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
