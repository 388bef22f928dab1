// Lists the agents, then runs one command for one of them and prints what it prints, as it comes.
//
//   CLAWRDEN_URL=http://127.0.0.1:8080 CLAWRDEN_TOKEN=clw_… node orchestrator.ts AGENT TOOL [ARG…]
//
// The token is of a program with the role `orchestrator`. Ctrl+C cancels the command.

import { ApiError, connect } from 'clawrden/client';

const { CLAWRDEN_URL: url = 'http://127.0.0.1:8080', CLAWRDEN_TOKEN: token = '' } = process.env;
const [agent = '', tool = '', ...args] = process.argv.slice(2);

const client = connect({ url, token });
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

try {
  for await (const { name, state } of client.list('agents')) process.stdout.write(`${name}: ${state}\n`);
  for await (const event of client.stream({ agent, tool, args }, { signal: interrupted.signal })) {
    if (event.type === 'pending') process.stderr.write(`a person is asked until ${event.expires}\n`);
    if (event.type === 'stdout' || event.type === 'stderr')
      process[event.type].write(Buffer.from(event.data, event.encoding));
    if (event.type === 'outcome') process.exitCode = event.outcome.exitCode;
  }
} catch (error) {
  // Refused, and nothing ran; the line says why, and what to do.
  process.stderr.write(`${error instanceof ApiError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
