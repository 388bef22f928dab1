import type { HandOver, handOverType } from '../../src/audit/hand-over.ts';
import type { Operand } from '../../src/plan.ts';
import type { CutCommand } from '../../src/recordable-command.ts';
import type { Usage } from '../../src/usage.ts';
import type { ConnectionRecord, WayOutRecord } from './connection-record.ts';
import type { GrantRecord, LinkRecord, SignInRecord, YesRecord } from './consent-records.ts';
import type {
  AssignmentRecord,
  CredentialRecord,
  PersonRecord,
  RevocationRecord,
  TokenRecord,
} from './principal-records.ts';

/** One line of the audit, before it is chained. Every field is data: JSON escapes it, and no reader interprets it. */
export type AuditRecord =
  | DecisionRecord
  | RefusalsRecord
  | InspectionRecord
  | YesRecord
  | VerdictRecord
  | StartRecord
  | OutcomeRecord
  | LateExitRecord
  | ConnectionRecord
  | WayOutRecord
  | WatchRecord
  | ControlRecord
  | LearningRecord
  | HostRecord
  | SessionRecord
  | AssignmentRecord
  | RevocationRecord
  | CredentialRecord
  | PersonRecord
  | TokenRecord
  | GrantRecord
  | LinkRecord
  | SignInRecord
  | WorkspaceRecord
  | SigningKeyRecord
  | AuthorityRecord
  | IncidentRecord
  | LifecycleRecord
  | HeadRecord;

interface OfExecution {
  readonly execution: string;
  readonly caller: string;
  readonly agent: string;
}

/**
 * The policy's decision on a command. Written before anything else happens; exactly one per execution, except for
 * refused ones that come too fast (`refusals`).
 */
export interface DecisionRecord extends OfExecution {
  readonly type: 'decision';
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly rule: string;
  readonly reason: string;
  /** Reason code of a refusal. */
  readonly code: string;
  /** Its beginning, if `cut` describes the whole. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly cut?: CutCommand;
  readonly uid: number;
  readonly gid: number;
  readonly strategy: string;
  readonly planHash: string;
  readonly policyHash: string;
}

/**
 * Refused requests of one agent that came too fast for one record each. The agent is empty if they named no agent of
 * their caller.
 */
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
  /** SHA-256 of the last one's argv and cwd, each followed by a NUL, in hex. */
  readonly lastSha256: string;
}

/** What the command would run, inspected before a person is asked: it changes the plan's hash. */
export interface InspectionRecord extends OfExecution {
  readonly type: 'inspection';
  /** Where an init looked, which says what is there; absent if nobody did. */
  readonly host?: string;
  readonly operands: readonly Operand[];
  readonly planHash: string;
}

/** How a question ended that a person was asked. */
export interface VerdictRecord extends OfExecution {
  readonly type: 'verdict';
  readonly approval: string;
  readonly verdict: 'approved' | 'denied' | 'expired' | 'void';
  /** If several had to say yes: all of them, with commas between. */
  readonly by: string;
  /** The surface of the verdict. */
  readonly via: string;
  readonly reason: string;
  /** The approval holds for the same plan for this long. */
  readonly grantMs?: number;
  readonly planHash: string;
}

export interface StartRecord extends OfExecution {
  readonly type: 'start';
  readonly host: string;
  readonly container: string;
  readonly planHash: string;
  /** The person who allowed it, by a verdict or by an earlier grant. Absent if the policy allowed it. */
  readonly approver?: string;
  /** The files that the tool got to run; absent if there were no such files. */
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
  /** SHA-256 of everything that was written, in hex. */
  readonly stdoutDigest: string;
  readonly stderrDigest: string;
  /** Milliseconds in each state: received (until decided), awaiting-approval, queued (and starting), running. */
  readonly durationsMs: Readonly<Record<string, number>>;
  /** Absent if nothing ran, or if the command was lost or killed before its init could say. */
  readonly usage?: Usage;
}

/** What became known about a command after its host was lost. Its outcome stays `host-lost`. */
export interface LateExitRecord extends OfExecution {
  readonly type: 'late-exit';
  readonly host: string;
  readonly container: string;
  /** The exit code of the container: the tool's own, 128+n for a signal, or 125 if Clawrden ended it. */
  readonly code?: number;
  readonly text: string;
}

/** Somebody reads along what a running command writes. */
export interface WatchRecord extends OfExecution {
  readonly type: 'watch';
  readonly by: string;
}

/** The kill switch: an agent, or all agents, paused, killed or resumed. */
export interface ControlRecord {
  readonly type: 'control';
  readonly agent: string;
  readonly state: string;
  readonly by: string;
  readonly reason: string;
}

/** While somebody learns what an agent's tool needs, it reaches every public address. */
export interface LearningRecord extends Omit<ControlRecord, 'state'> {
  /** Written before anything is reached, and when nothing is any more. */
  readonly state: 'learning' | 'learned';
  readonly tool: string;
  /** As plans name it. */
  readonly learning: string;
  /** How long it may be. */
  readonly ms?: number;
  /** How many destinations were reached that its network does not have. */
  readonly destinations?: number;
}

/** A Docker host that a person drains, or gives work again. */
export interface HostRecord {
  readonly type: 'host';
  readonly host: string;
  readonly state: 'draining' | 'ready';
  readonly by: string;
  readonly reason: string;
}

/** A container that serves an agent's commands. */
export interface SessionRecord {
  readonly type: 'session';
  readonly agent: string;
  /** `reset`: a person ended all of the agent's; written before that is done, without a place. */
  readonly state: 'started' | 'ended' | 'reset';
  readonly host: string;
  readonly container: string;
  readonly image: string;
  /** Empty: the gateway. */
  readonly by: string;
  readonly reason: string;
}

/** What a person did about a workspace that follows its agent. Written before it is done. */
export interface WorkspaceRecord {
  readonly type: 'workspace-trusted' | 'workspace-restored' | 'workspace-reset';
  readonly agent: string;
  /** The replica's, of a reset; else empty. */
  readonly host: string;
  readonly by: string;
  readonly reason: string;
  /** Which file was put back, or what else was asked for. */
  readonly text: string;
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

/** From the next record on another key signs. Written before that key signs anything. */
export interface SigningKeyRecord extends HandOver {
  readonly type: typeof handOverType;
  /** Tokens that the former key signed count until then (RFC 3339). */
  readonly formerUntil: string;
  readonly by: string;
  readonly reason: string;
}

/** The certificate authority. Written before another one signs. */
export interface AuthorityRecord {
  readonly type: 'authority';
  /** `withdrawn`: it was not rotated after all. `stopped`: the former one counts no more. */
  readonly event: 'rotated' | 'withdrawn' | 'stopped';
  /** As `src/pki` writes them. */
  readonly fingerprint: string;
  readonly former: string;
  /** RFC 3339. */
  readonly formerUntil: string;
  readonly by: string;
  readonly reason: string;
}

/** The gateway's signature over the link before it. */
export interface HeadRecord {
  readonly type: 'head';
  readonly signature: string;
}
