import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Agent, run, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';

// Traces go to another service than the model, and an agent's way out leads to the model alone.
setTracingDisabled(true);
setOpenAIAPI('chat_completions');

/** In a jail the programs on PATH are shims. */
const runProgram = tool({
  name: 'run',
  description: 'Runs a program and tells its exit code and what it wrote.',
  parameters: z.object({ program: z.string(), args: z.array(z.string()), stdin: z.string() }),
  execute: async ({ program, args, stdin }) => {
    const child = spawn(program, args);
    child.stdin.on('error', () => {}).end(stdin);
    const ended = new Promise<number | null>((resolve, reject) =>
      child.on('close', resolve).on('error', reject),
    );
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return `exit code ${code}\nstdout:\n${stdout}\nstderr:\n${stderr}`;
  },
});

const agent = new Agent({
  name: 'coder',
  instructions: 'Do the task by running programs. If one is refused, do what its message says instead.',
  model: process.env['MODEL'] ?? 'gpt-5',
  tools: [runProgram],
});
const { finalOutput } = await run(agent, process.argv.slice(2).join(' '), { maxTurns: 10 });
process.stdout.write(`${finalOutput}\n`);
