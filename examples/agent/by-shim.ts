// Whatever is on PATH: in a jail, the tools that the policy names.

import { spawn } from 'node:child_process';
import type { Hands, Ran } from './hands.ts';

/** Of each stream, head and tail: a model pays for what it reads. */
const mostShown = 8_000;

export const handsByShim: Hands = {
  system: `You work in the folder ${process.cwd()} by running commands. clawrden-help lists the programs that you may run.
A command that is refused says why, and what to do instead: do that, or stop. A command may wait until a person has allowed it.
Say what you did when you are done.`,
  tools: [
    {
      type: 'function',
      function: {
        name: 'run',
        description: 'Runs a program without a shell and returns its exit code and what it printed.',
        parameters: {
          type: 'object',
          properties: {
            program: { type: 'string' },
            args: { type: 'array', items: { type: 'string' } },
            stdin: { type: 'string', description: 'what the program reads' },
          },
          required: ['program'],
        },
      },
    },
  ],
  use: async (name, given, signal) => {
    if (name !== 'run') throw new Error(`there is no tool ${name}: use run`);
    const { program, args = [], stdin = '' } = JSON.parse(given) as Readonly<Record<string, unknown>>;
    if (typeof program !== 'string' || typeof stdin !== 'string' || !areTexts(args))
      throw new Error('program and stdin are texts, args is a list of texts');
    return run(program, args, stdin, signal);
  },
};

function areTexts(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

function run(program: string, args: readonly string[], stdin: string, signal: AbortSignal): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'pipe', signal });
    const [out, err] = [new Shown(), new Shown()];
    child.stdout.on('data', (chunk: Buffer) => out.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.add(chunk));
    // A program that reads nothing closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    child.on('error', ({ message }) => resolve({ text: message, failed: true }));
    child.on('close', (code, killed) => {
      const text = `exit code ${code ?? killed}\nstdout:\n${out.text()}\nstderr:\n${err.text()}`;
      resolve({ text, failed: code !== 0 });
    });
  });
}

/** The beginning and the end of what a program prints, however much it is. */
class Shown {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #total = 0;

  add(chunk: Buffer): void {
    const room = mostShown / 2 - this.#head.length;
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(room)]).subarray(-mostShown / 2);
    this.#total += chunk.length;
  }

  text(): string {
    const left = this.#total - this.#head.length - this.#tail.length;
    return `${this.#head.toString()}${left > 0 ? `\n[${left} bytes are left out]\n` : ''}${this.#tail.toString()}`;
  }
}
