import type { Operand } from '../../src/plan.ts';
import type { CutCommand } from '../../src/recordable-command.ts';
import type { Usage } from '../../src/usage.ts';

/** One line of the audit, before it is chained. Every field is data: JSON escapes it, nobody interprets it. */
export type AuditRecord =
  | DecisionRecord
  | RefusalsRecord
  | InspectionRecord
  | VerdictRecord
  | StartRecord
  | OutcomeRecord
  | LateExitRecord
  | ControlRecord
  | HostRecord
  | RevocationRecord
  | IncidentRecord
  | LifecycleRecord
  | HeadRecord;

interface OfExecution {
  readonly execution: string;
  readonly caller: string;
  readonly agent: string;
}

/**
 * The policy's word on a command. Written before anything else happens; exactly one per execution, but for refused ones
 * that come too fast (`refusals`).
 */
export interface DecisionRecord extends OfExecution {
  readonly type: 'decision';
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly rule: string;
  readonly reason: string;
  /** Reason code of a refusal. */
  readonly code: string;
  /** The beginning of it, where `cut` says what the whole is. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly cut?: CutCommand;
  readonly uid: number;
  readonly gid: number;
  readonly strategy: string;
  readonly planHash: string;
  readonly policyHash: string;
}

/** Refused requests of one agent that came too fast to be recorded one by one; an empty agent: of no agent of its caller's. */
export interface RefusalsRecord {
  readonly type: 'refusals';
  readonly caller: string;
  readonly agent: string;
  readonly count: number;
  /** How many of them were refused with each reason code. */
  readonly codes: Readonly<Record<string, number>>;
  /** RFC 3339. */
  readonly first: string;
  readonly last: string;
  readonly lastExecution: string;
  /** Of the last one's argv and cwd, each with a NUL behind it, in hex. */
  readonly lastSha256: string;
}

/** What the command would run, looked at before a person is asked: with it the plan has another hash. */
export interface InspectionRecord extends OfExecution {
  readonly type: 'inspection';
  readonly operands: readonly Operand[];
  readonly planHash: string;
}

/** How a question that a person was asked came out. */
export interface VerdictRecord extends OfExecution {
  readonly type: 'verdict';
  readonly approval: string;
  readonly verdict: 'approved' | 'denied' | 'expired' | 'void';
  readonly by: string;
  /** Over which surface. */
  readonly via: string;
  readonly reason: string;
  /** The approval holds for the same plan for so long. */
  readonly grantMs?: number;
  readonly planHash: string;
}

export interface StartRecord extends OfExecution {
  readonly type: 'start';
  readonly host: string;
  readonly container: string;
  readonly planHash: string;
  /** The person who let it: by a verdict of its own, or by one that held for a while. Absent where the policy did. */
  readonly approver?: string;
  /** What the tool was given to run; absent where that is nothing but the tool. */
  readonly operands?: readonly Operand[];
}

export interface OutcomeRecord extends OfExecution {
  readonly type: 'outcome';
  readonly outcome: string;
  readonly code: number;
  readonly signal: number;
  readonly reason: string;
  readonly text: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** SHA-256 of all that was written, in hex. */
  readonly stdoutDigest: string;
  readonly stderrDigest: string;
  /** Milliseconds in each state: received (decided on), awaiting-approval, queued (and started), running. */
  readonly durationsMs: Readonly<Record<string, number>>;
  /** Absent where nothing ran, and where what ran was lost or killed before it could say. */
  readonly usage?: Usage;
}

/** What was learnt of a command after its host was lost under it. Its outcome stays `host-lost`. */
export interface LateExitRecord extends OfExecution {
  readonly type: 'late-exit';
  readonly host: string;
  readonly container: string;
  /** The exit code of the container: the tool's own, 128+n for a signal, or 125 where its end was not its own. */
  readonly code?: number;
  readonly text: string;
}

/** The kill switch: an agent, or all of them, paused, killed or set free. */
export interface ControlRecord {
  readonly type: 'control';
  readonly agent: string;
  readonly state: string;
  readonly by: string;
  readonly reason: string;
}

/** A Docker host that an operator drains, or gives work again. */
export interface HostRecord {
  readonly type: 'host';
  readonly host: string;
  readonly state: 'draining' | 'ready';
  readonly by: string;
  readonly reason: string;
}

/** A relay whose certificates of until then count no more. */
export interface RevocationRecord {
  readonly type: 'revocation';
  readonly relay: string;
  readonly by: string;
  readonly reason: string;
}

/** Something that should not happen: a relay that names a foreign agent, an engine that was lost. */
export interface IncidentRecord {
  readonly type: 'incident';
  readonly incident: string;
  readonly caller: string;
  readonly text: string;
}

/** The gateway itself: started, stopped, policy loaded. */
export interface LifecycleRecord {
  readonly type: 'lifecycle';
  readonly event: string;
  readonly text: string;
}

/** The gateway's signature over the link before it. */
export interface HeadRecord {
  readonly type: 'head';
  readonly signature: string;
}
