import type { Wiring } from '../../src/init-client/init-plan.ts';

/** What a start carries besides the command: needed again when its caller comes back. */
export interface StartContext {
  readonly wiring: Wiring;
  /** The host labels that an orchestrator asks for. */
  readonly hostLabels: Readonly<Record<string, string>>;
  /** What the agent says that it is for; absent if it says nothing. */
  readonly said?: string;
  /** Of the trace that its caller began; absent if it began none. */
  readonly traceparent?: string;
}
