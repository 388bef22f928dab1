import { Worker } from 'node:worker_threads';
import { deadline, onAbort } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { Gate } from '../../src/gate.ts';
import type { PolicyReport } from '../../src/policy/review/policy-report.ts';
import { programFile } from '../../src/program-file.ts';
import { TooSoon } from '../connections/call-budget.ts';
import type { CheckPolicy, PolicyText } from '../ports/policy-check.ts';

/** Of all who ask. */
const threadsAtOnce = 2;
/** From the question to the answer. */
const withinMs = 20_000;
const comeBackMs = 2_000;
const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
const program = programFile('gateway/judging/policy-check-thread');

/** Each text has a thread of its own: none holds up the gateway. `isOpen`: there is a folder of tool files. */
export function createPolicyChecks(isOpen: boolean, mostMs = withinMs): CheckPolicy {
  const asking = new Set<string>();
  const gate = new Gate(() => threadsAtOnce);
  return async (wish, name, signal) => {
    if (asking.has(name)) throw new TooSoon(`a policy is being checked for ${name} already`, comeBackMs);
    asking.add(name);
    let isIn = false;
    using until = deadline(mostMs, () => (isIn ? tooMuch(`${mostMs / 1000} s`) : busy()), signal);
    try {
      return await gate.through(until.signal, () => {
        isIn = true;
        return inThread({ ...wish, isOpen }, until.signal);
      });
    } finally {
      asking.delete(name);
    }
  };
}

async function inThread(
  wish: PolicyText & { readonly isOpen: boolean },
  signal: AbortSignal,
): Promise<PolicyReport> {
  const thread = new Worker(program, { workerData: wish, env: {}, execArgv: [], resourceLimits: limits });
  const report = Promise.withResolvers<PolicyReport>();
  using _ = onAbort(signal, () => report.reject(signal.reason));
  thread.once('message', report.resolve);
  thread.once('error', (error: NodeJS.ErrnoException) =>
    report.reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('256 MB') : error),
  );
  thread.once('exit', (code) => report.reject(new Error(`the thread of a policy check ended with ${code}`)));
  try {
    return await report.promise;
  } finally {
    // Its place is free only when it is over.
    await thread.terminate();
  }
}

function tooMuch(what: string): ClawrdenError {
  return new ClawrdenError('too-large', `to check this policy takes more than ${what}`);
}

function busy(): TooSoon {
  return new TooSoon('too many policies are being checked', comeBackMs);
}
