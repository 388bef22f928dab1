import type { Approval } from '../../../gen/clawrden/v1/warden.ts';
import type { Key } from './keys.ts';
import { type PlanRow, planRows } from './plan-rows.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Everything that the screen shows. Each function here returns the next model. */
export interface WatchModel {
  readonly size: Size;
  readonly approvals: readonly Approval[];
  /** Empty while the list is current, else the reason why it is not. */
  readonly trouble: string;
  /** Id of the row under the cursor: if the list moves, the cursor stays on its question. */
  readonly selected: string;
  readonly open: OpenPlan | undefined;
  readonly message: string;
}

export interface OpenPlan {
  /** The open question, with its plan. */
  readonly approval: Approval;
  readonly top: number;
  /** How many facts, from the first on, were completely on the screen. */
  readonly seen: number;
  /** The question that the next key answers. */
  readonly asking: 'nothing' | 'approve' | 'deny';
  /** The reason typed so far, for a denial. */
  readonly reason: string;
}

export type Action =
  | { readonly type: 'quit' }
  | { readonly type: 'suspend' }
  /** The plan must be fetched; then `withPlan` follows. */
  | { readonly type: 'read'; readonly approval: Approval }
  | {
      readonly type: 'verdict';
      readonly approve: boolean;
      readonly approval: Approval;
      readonly reason: string;
    };

export interface Step {
  readonly model: WatchModel;
  readonly action?: Action;
}

/** Rows outside of the body: the head, a gap, the message and the keys. */
const frameRows = 4;
const smallest: Size = { columns: 40, rows: 8 };

export function emptyModel(size: Size): WatchModel {
  return { size, approvals: [], trouble: 'connecting', selected: '', open: undefined, message: '' };
}

export function bodyRows({ size }: WatchModel): number {
  return size.rows - frameRows;
}

export function tooSmall({ size }: WatchModel): boolean {
  return size.columns < smallest.columns || size.rows < smallest.rows;
}

export function openRows({ size }: WatchModel, { approval }: OpenPlan): PlanRow[] {
  return planRows(approval, Math.max(size.columns, smallest.columns));
}

/** Whether the whole open plan was on the screen: only then may it be approved. */
export function fullySeen(model: WatchModel, open: OpenPlan): boolean {
  return open.seen > (openRows(model, open).at(-1)?.fact ?? 0);
}

export function withApprovals(model: WatchModel, approvals: readonly Approval[]): WatchModel {
  const has = (id: string) => approvals.some((approval) => approval.id === id);
  const selected = has(model.selected) ? model.selected : nextTo(model, approvals);
  const next = { ...model, approvals, selected, trouble: '' };
  const { open } = model;
  if (open === undefined || has(open.approval.id)) return next;
  return { ...next, open: undefined, message: `${open.approval.id} does not wait any more` };
}

/** Opens the requested question, unless the user chose or opened another one meanwhile. */
export function withPlan(model: WatchModel, approval: Approval): WatchModel {
  if (model.open !== undefined || model.selected !== approval.id) return model;
  const open = { approval, top: 0, seen: 0, asking: 'nothing', reason: '' } as const;
  return look({ ...model, message: '', open });
}

export function withSize(model: WatchModel, size: Size): WatchModel {
  const { open } = model;
  if (open === undefined) return { ...model, size };
  // Keeps the first visible fact at the top: with a new width it has other rows, and none may be skipped.
  const fact = openRows(model, open)[open.top]?.fact;
  const resized = { ...model, size };
  const top = Math.max(
    0,
    openRows(resized, open).findIndex((row) => row.fact === fact),
  );
  return look({ ...resized, open: { ...open, top } });
}

export function withKey(model: WatchModel, key: Key): Step {
  if (key === 'interrupt') return { model, action: { type: 'quit' } };
  if (key === 'suspend') return { model, action: { type: 'suspend' } };
  if (tooSmall(model)) return key === 'q' ? { model, action: { type: 'quit' } } : { model };
  const { open } = model;
  if (open === undefined) return keyInList({ ...model, message: '' }, key);
  if (open.asking === 'approve') return keyInApproval(model, open, key);
  if (open.asking === 'deny') return keyInDenial(model, open, key);
  return keyInPlan({ ...model, message: '' }, open, key);
}

/** The row that replaces a row that has gone. */
function nextTo({ approvals, selected }: WatchModel, next: readonly Approval[]): string {
  const index = approvals.findIndex(({ id }) => id === selected);
  return next[Math.min(Math.max(index, 0), next.length - 1)]?.id ?? '';
}

function keyInList(model: WatchModel, key: Key): Step {
  const { approvals, selected } = model;
  const index = approvals.findIndex(({ id }) => id === selected);
  const to = (at: number) => ({
    model: { ...model, selected: approvals[Math.min(Math.max(at, 0), approvals.length - 1)]?.id ?? '' },
  });
  const approval = approvals[index];
  switch (key) {
    case 'q':
      return { model, action: { type: 'quit' } };
    case 'up':
    case 'k':
      return to(index - 1);
    case 'down':
    case 'j':
      return to(index + 1);
    case 'enter':
      if (approval === undefined) return { model };
      return {
        model: { ...model, message: 'fetching its plan' },
        action: { type: 'read', approval },
      };
    default:
      return { model };
  }
}

function keyInPlan(model: WatchModel, open: OpenPlan, key: Key): Step {
  const scrolled = (by: number) => ({ model: look({ ...model, open: { ...open, top: open.top + by } }) });
  switch (key) {
    case 'q':
    case 'escape':
      return { model: { ...model, open: undefined } };
    case 'up':
    case 'k':
      return scrolled(-1);
    case 'down':
    case 'j':
    case 'enter':
      return scrolled(1);
    case 'page-up':
      return scrolled(-bodyRows(model));
    case 'page-down':
    case ' ':
      return scrolled(bodyRows(model));
    case 'a':
      if (fullySeen(model, open)) return { model: { ...model, open: { ...open, asking: 'approve' } } };
      return { model: { ...model, message: 'read it to its end first: space shows more' } };
    case 'd':
      return { model: { ...model, open: { ...open, asking: 'deny', reason: '' } } };
    default:
      return { model };
  }
}

function keyInApproval(model: WatchModel, open: OpenPlan, key: Key): Step {
  if (key === 'y') return decided(model, open, true);
  return {
    model: { ...model, open: { ...open, asking: 'nothing' }, message: 'not approved, it still waits' },
  };
}

function keyInDenial(model: WatchModel, open: OpenPlan, key: Key): Step {
  const reason = (text: string) => ({ model: { ...model, open: { ...open, reason: text } } });
  if (key === 'enter') return decided(model, open, false);
  if (key === 'backspace') return reason(open.reason.slice(0, -1));
  if (key.length === 1) return reason(open.reason + key);
  if (key !== 'escape') return { model };
  return { model: { ...model, open: { ...open, asking: 'nothing' }, message: 'not denied, it still waits' } };
}

function decided(model: WatchModel, { approval, reason }: OpenPlan, approve: boolean): Step {
  const action = { type: 'verdict', approve, approval, reason } as const;
  return { model: { ...model, open: undefined, message: 'asking the gateway' }, action };
}

/** Keeps the scroll position inside the plan, and notes which facts are completely on the screen. */
function look(model: WatchModel): WatchModel {
  const { open } = model;
  if (open === undefined || tooSmall(model)) return model;
  const rows = openRows(model, open);
  const top = Math.max(0, Math.min(open.top, rows.length - bodyRows(model)));
  const end = top + bodyRows(model);
  const first = rows[top]?.fact ?? 0;
  // Complete up to here: the next row begins another fact, or does not exist.
  const whole = rows[end] === undefined ? (rows.at(-1)?.fact ?? 0) + 1 : rows[end].fact;
  const seen = first <= open.seen ? Math.max(open.seen, whole) : open.seen;
  return { ...model, open: { ...open, top, seen } };
}
