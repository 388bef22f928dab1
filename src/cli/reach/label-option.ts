import { InvalidArgumentError } from 'commander';
import type { Label } from '../../gen/clawrden/v1/execution.ts';
import { labelKey, labelValueLength } from '../../labels.ts';

/** `--host-label zone=a`, given once or more; each key once. */
export function addLabel(text: string, labels: readonly Label[] = []): readonly Label[] {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!labelKey.test(key) || value.length > labelValueLength)
    throw new InvalidArgumentError('It must be a label like team=web.');
  if (labels.some((label) => label.key === key)) throw new InvalidArgumentError(`${key} was given before.`);
  return [...labels, { key, value }];
}
