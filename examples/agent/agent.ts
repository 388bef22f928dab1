// An agent that thinks with a model and acts by commands: a loop with three circuit breakers.
//
//   MODEL_URL=http://127.0.0.1:3128/model/v1 MODEL=NAME node agent.ts "Make the tests pass"
//
// MODEL_URL is any endpoint that speaks the chat completions of OpenAI. In a jail it is a route of the agent's own way
// out, so its key is nowhere here. A command is whatever is on PATH: in a jail, the tools that the policy names.
// AGENT_LOG names a file that gets one line of JSON for each step. Exit code: 0 done, 3 stopped by a breaker, 1 the rest.

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { MODEL_URL: url = '', MODEL: model = 'default', AGENT_LOG: logFile = '' } = process.env;
const mostTurns = 10;
/** The very same call so many times in a row stops it: tests that run again after an edit are no repeat. */
const repeatsThatStop = 2;
const errorsThatStop = 3;
const modelWithinMs = 120_000;
const commandWithinMs = 1_800_000;
/** Of each stream, head and tail: a model pays for what it reads. */
const mostShown = 8_000;

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

interface Ran {
  readonly text: string;
  readonly failed: boolean;
}

const system = `You work in the folder ${process.cwd()} by running commands. clawrden-help lists the programs that you may run.
A command that is refused says why, and what to do instead: do that, or stop. A command may wait until a person has allowed it.
Say what you did when you are done.`;

const tools = [
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
] as const;

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());

async function main(task: string): Promise<number> {
  if (url === '' || task === '') {
    process.stderr.write('usage: MODEL_URL=URL [MODEL=NAME] [AGENT_LOG=FILE] node agent.ts TASK\n');
    return 2;
  }
  try {
    return await work(task);
  } catch (error) {
    const { message } = error as Error;
    log('failed', { why: message });
    process.stderr.write(`agent: ${message}\n`);
    return 1;
  }
}

async function work(task: string): Promise<number> {
  const messages: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: task },
  ];
  let [last, repeats, errors] = ['', 0, 0];
  log('task', { task });
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const answer = await ask(messages);
    messages.push(answer);
    log('answer', { turn, content: answer.content, calls: answer.tool_calls?.length ?? 0 });
    if (answer.tool_calls === undefined || answer.tool_calls.length === 0) {
      process.stdout.write(`${answer.content ?? ''}\n`);
      return 0;
    }
    for (const call of answer.tool_calls) {
      const said = JSON.stringify([call.function.name, call.function.arguments]);
      [last, repeats] = [said, said === last ? repeats + 1 : 1];
      if (repeats >= repeatsThatStop)
        return stop(`the same call ${repeats} times in a row: ${call.function.arguments}`);
      const { text, failed } = await act(call, turn);
      messages.push({ role: 'tool', tool_call_id: call.id, content: text });
      errors = failed ? errors + 1 : 0;
      if (errors >= errorsThatStop)
        return stop(`${errors} calls in a row failed, the last one: ${firstLine(text)}`);
    }
  }
  return stop(`${mostTurns} turns without an end`);
}

/** Which breaker it was. */
function stop(why: string): number {
  log('stopped', { why });
  process.stderr.write(`agent: stopped: ${why}\n`);
  return 3;
}

/** Once more if the model does not answer, or answers that it is busy. */
async function ask(messages: readonly Message[]): Promise<Message> {
  for (let again = 0; ; again += 1) {
    const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(modelWithinMs)]);
    const response = await post({ model, messages, tools }, signal);
    const text = await response.text();
    if (response.ok) return messageIn(text);
    const isBusy = response.status === 429 || response.status >= 500;
    if (!isBusy || again === 1) throw new Error(`the model answers ${response.status}: ${firstLine(text)}`);
    await sleep(2_000, undefined, { signal });
  }
}

/** In a container its way out is there a little later than the agent: a refused connection is tried again for 20 s. */
async function post(body: object, signal: AbortSignal): Promise<Response> {
  for (const deadline = performance.now() + 20_000; ; await sleep(500, undefined, { signal })) {
    try {
      return await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
      if (code !== 'ECONNREFUSED' || performance.now() > deadline) throw error;
    }
  }
}

function messageIn(text: string): Message {
  const { choices } = JSON.parse(text) as { readonly choices?: readonly { readonly message?: Message }[] };
  const message = choices?.[0]?.message;
  if (message === undefined) throw new Error(`the model answers without a message: ${firstLine(text)}`);
  return { ...message, role: 'assistant', content: message.content ?? null };
}

/** What the model gets wrong is an answer to the model, and counts as a call that failed. */
async function act({ function: { name, arguments: given } }: Call, turn: number): Promise<Ran> {
  log('call', { turn, name, arguments: given });
  const ran = await runGiven(name, given).catch((error: Error) => ({ text: error.message, failed: true }));
  log('result', { turn, failed: ran.failed, text: ran.text });
  interrupted.signal.throwIfAborted();
  return ran;
}

async function runGiven(name: string, given: string): Promise<Ran> {
  if (name !== 'run') throw new Error(`there is no tool ${name}: use run`);
  const { program, args = [], stdin = '' } = JSON.parse(given) as Readonly<Record<string, unknown>>;
  if (typeof program !== 'string' || typeof stdin !== 'string' || !areTexts(args))
    throw new Error('program and stdin are texts, args is a list of texts');
  return run(program, args, stdin);
}

function areTexts(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

function run(program: string, args: readonly string[], stdin: string): Promise<Ran> {
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(commandWithinMs)]);
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

function firstLine(text: string): string {
  return text.slice(0, 300).split('\n', 1)[0] ?? '';
}

function log(type: string, more: object): void {
  if (logFile !== '') appendFileSync(logFile, `${JSON.stringify({ time: new Date(), type, ...more })}\n`);
}

process.exitCode = await main(process.argv.slice(2).join(' '));
