import { doubtful, type Finding } from '../doctor/finding.ts';
import type { JailFacts, JailWanted } from './jail-facts.ts';

/** Whether programs in the container are told of the agent's way out. Whether it is there, its relay reports. */
export function checkWayOut(
  { container }: Pick<JailFacts, 'container'>,
  { agent, wayOut }: Pick<JailWanted, 'agent' | 'wayOut'>,
): readonly Finding[] {
  const env = new Set(container.Config.Env);
  // Java's may have others before them.
  const missing = wayOut?.environment.find(
    (entry) => !entry.startsWith('JAVA_TOOL_OPTIONS=') && !env.has(entry),
  );
  if (missing === undefined) return [];
  const text = `its container has not ${missing.slice(0, 200)}: programs there do not find its way out`;
  return [doubtful(`agent ${agent}`, text, `start it anew with clawrden agent run ${agent}`)];
}
