import type { Case } from '../case.ts';
import { argumentCases } from './arguments.ts';
import { callersShellCases } from './callers-shell.ts';
import { endingCases } from './endings.ts';
import { environmentCases } from './environment.ts';
import { fileCases } from './files.ts';
import { gitCases } from './git.ts';
import { interactiveProgramCases } from './interactive-programs.ts';
import { interactiveShellCases } from './interactive-shells.ts';
import { outputCases } from './output.ts';
import { processFactCases } from './process-facts.ts';
import { runtimeCases } from './runtimes.ts';
import { signalCases } from './signals.ts';
import { stdinCases } from './stdin.ts';
import { terminalCases } from './terminal.ts';
import { terminalSignalCases } from './terminal-signals.ts';
import { textToolCases } from './text-tools.ts';

export const allCases: readonly Case[] = [
  ...argumentCases,
  ...environmentCases,
  ...stdinCases,
  ...outputCases,
  ...endingCases,
  ...signalCases,
  ...fileCases,
  ...processFactCases,
  ...textToolCases,
  ...gitCases,
  ...runtimeCases,
  ...callersShellCases,
  ...terminalCases,
  ...terminalSignalCases,
  ...interactiveShellCases,
  ...interactiveProgramCases,
];
