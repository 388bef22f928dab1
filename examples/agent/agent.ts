// An agent that thinks with a model and acts by commands: a loop with three circuit breakers.
//
//   MODEL_URL=http://127.0.0.1:3128/model/v1 MODEL=NAME node agent.ts "Make the tests pass"
//
// MODEL_URL is any endpoint that speaks the chat completions of OpenAI. In a jail it is a route of the agent's own way
// out, so its key is nowhere here. It acts by commands of its PATH, in a jail the tools that the policy names, or with
// MCP_URL by the tools of that server (and MCP_TOKEN, which its own way out does not ask for).
// AGENT_LOG names a file that gets one line of JSON for each step. Exit code: 0 done, 3 stopped by a breaker, 1 the rest.

import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { handsByMcp } from './by-mcp.ts';
import { handsByShim } from './by-shim.ts';
import type { Hands, Ran } from './hands.ts';
import { firstLine, post } from './post.ts';

const { MODEL_URL: url = '', MODEL: model = 'default', AGENT_LOG: logFile = '' } = process.env;
const { MCP_URL: mcpUrl = '', MCP_TOKEN: token = '' } = process.env;
const mostTurns = 10;
/** The very same call so many times in a row stops it: tests that run again after an edit are no repeat. */
const repeatsThatStop = 2;
const errorsThatStop = 3;
const modelWithinMs = 120_000;
const commandWithinMs = 1_800_000;

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
  const hands = mcpUrl === '' ? handsByShim : await handsByMcp(mcpUrl, token, within(modelWithinMs));
  const messages: Message[] = [
    { role: 'system', content: hands.system },
    { role: 'user', content: task },
  ];
  let [last, repeats, errors] = ['', 0, 0];
  log('task', { task });
  for (let turn = 1; turn <= mostTurns; turn += 1) {
    const answer = await ask(messages, hands);
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
      const { text, failed } = await act(call, turn, hands);
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
async function ask(messages: readonly Message[], { tools }: Hands): Promise<Message> {
  for (let again = 0; ; again += 1) {
    const signal = within(modelWithinMs);
    const completions = `${url.replace(/\/$/, '')}/chat/completions`;
    const response = await post(completions, {}, { model, messages, tools }, signal);
    const text = await response.text();
    if (response.ok) return messageIn(text);
    const isBusy = response.status === 429 || response.status >= 500;
    if (!isBusy || again === 1) throw new Error(`the model answers ${response.status}: ${firstLine(text)}`);
    await sleep(2_000, undefined, { signal });
  }
}

function messageIn(text: string): Message {
  const { choices } = JSON.parse(text) as { readonly choices?: readonly { readonly message?: Message }[] };
  const message = choices?.[0]?.message;
  if (message === undefined) throw new Error(`the model answers without a message: ${firstLine(text)}`);
  return { ...message, role: 'assistant', content: message.content ?? null };
}

/** What the model gets wrong is an answer to the model, and counts as a call that failed. */
async function act(
  { function: { name, arguments: given } }: Call,
  turn: number,
  { use }: Hands,
): Promise<Ran> {
  log('call', { turn, name, arguments: given });
  const ran = await use(name, given, within(commandWithinMs)).catch((error: Error) => ({
    ...{ text: error.message, failed: true },
  }));
  log('result', { turn, failed: ran.failed, text: ran.text });
  interrupted.signal.throwIfAborted();
  return ran;
}

function within(ms: number): AbortSignal {
  return AbortSignal.any([interrupted.signal, AbortSignal.timeout(ms)]);
}

function log(type: string, more: object): void {
  if (logFile !== '') appendFileSync(logFile, `${JSON.stringify({ time: new Date(), type, ...more })}\n`);
}

process.exitCode = await main(process.argv.slice(2).join(' '));
