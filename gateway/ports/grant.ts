import type { RecordableCommand } from '../../src/recordable-command.ts';

/** A yes that holds for a while: the same plan of the same agent runs without another question. */
export interface Grant {
  readonly id: string;
  /** Empty: of what a principal asks for without an agent. */
  readonly agent: string;
  readonly planHash: string;
  /** Of the plan without its policy's hash; empty if an earlier version gave it. */
  readonly deed: string;
  /** Of the plan; an earlier version kept none. */
  readonly command: RecordableCommand;
  /** The rule that asked. */
  readonly rule: string;
  /** The execution that was asked about: the history has its plan. */
  readonly execution: string;
  /** Who said yes. */
  readonly by: readonly string[];
  /** Of their rights when they did; empty if an earlier version gave it. */
  readonly stamps: readonly string[];
  /** Epoch milliseconds, both; 0 if an earlier version gave it. */
  readonly since: number;
  readonly until: number;
}
