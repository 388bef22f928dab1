// The whole of one thread: checks one text, answers, ends.

import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { reportOnText } from '../../src/policy/review/policy-report.ts';
import { shortTexts } from '../lists/short-texts.ts';
import type { PolicyText } from '../ports/policy-check.ts';

// On Linux this is of the thread alone: commands are judged first.
setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
const { text, force, isOpen } = workerData as PolicyText & { readonly isOpen: boolean };
const { problems, errors, warnings, ...report } = reportOnText(text, 'policy.yaml', force, isOpen);
const answer = {
  ...report,
  problems: shortTexts(problems),
  errors: shortTexts(errors),
  warnings: shortTexts(warnings),
};
parentPort?.postMessage(answer, []);
