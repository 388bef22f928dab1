import type { Label } from '../../../src/gen/clawrden/v1/execution.ts';
import { labelKey, labelsAtMost, labelValueLength } from '../../../src/labels.ts';
import { invalid } from './errors.ts';

/** Labels that narrow something: each of them counts, or all are refused. Fewer labels are more agents and hosts. */
export function readLabels(field: string, labels: readonly Label[]): Readonly<Record<string, string>> {
  if (labels.length > labelsAtMost) throw invalid(`${field} must have at most ${labelsAtMost} labels`);
  const read = new Map<string, string>();
  for (const { key, value } of labels) {
    if (!labelKey.test(key) || value.length > labelValueLength)
      throw invalid(
        `${field} must have labels of a key of 1 to 63 characters A-Za-z0-9._/- and a value of at most ${labelValueLength}`,
      );
    if (read.has(key)) throw invalid(`${field} must have each key once`);
    read.set(key, value);
  }
  return Object.fromEntries(read);
}
