import { duplicates } from '../../config/duplicates.ts';
import type { YamlSource } from '../../config/read-yaml.ts';
import type { Breaker } from '../policy.ts';
import type { PolicyFile } from './policy-schema.ts';

type BreakerFile = PolicyFile['breakers'][number];

export function toBreaker(raw: BreakerFile): Breaker {
  return {
    name: raw.name,
    action: raw.action,
    trips: tripsOf(raw),
    ...(raw.reason === undefined ? {} : { reason: raw.reason }),
    ...(raw.agents === undefined ? {} : { agents: new Set(raw.agents) }),
  };
}

/** The schema ensures that it is one of the three. */
function tripsOf({ repeats, failures, rate }: BreakerFile): Breaker['trips'] {
  if (rate !== undefined) return { on: 'rate', ...rate };
  return repeats === undefined ? { on: 'failures', most: failures ?? 1 } : { on: 'repeats', most: repeats };
}

/** People and records identify a breaker by its name, so no two may be alike. One line for each fault. */
export function findBreakerProblems({ breakers }: PolicyFile, source: YamlSource): string[] {
  const names = breakers.map(({ name }) => name);
  return duplicates(names).map((index) =>
    source.problem(['breakers', index, 'name'], `another breaker is named "${names[index]}" already`),
  );
}
