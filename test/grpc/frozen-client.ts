import { newExecutionId } from '../../src/execution-id.ts';
import { connectRelay } from './connect-relay.ts';

// Runs as a separate process: opens an execution and waits.
const [address = '', identityDir = ''] = process.argv.slice(2);
const client = await connectRelay({ address, identityDir });
const stream = client.execute();
stream.resume();
const command = {
  tool: 'sleep',
  args: [],
  cwd: '/',
  env: [],
  umask: 0,
  stdio: [],
  ignored: [],
  blocked: [],
  terminal: undefined,
  version: 1,
};
const start = { executionId: newExecutionId(), agent: 'coder', command, hostLabels: [] };
stream.write({ message: { $case: 'start', value: { ...start, identity: undefined, refusal: undefined } } });
