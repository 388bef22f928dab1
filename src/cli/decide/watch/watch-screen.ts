import type { Approval } from '../../../gen/clawrden/v1/warden.ts';
import { commandText } from '../../../text/command-text.ts';
import { escapeUnprintable } from '../../../text/render-text.ts';
import { cutRow, type Row } from '../../print/cells.ts';
import { cutText } from '../../print/fold.ts';
import { askedBy, timeLeft } from '../show-approval.ts';
import { bodyRows, fullySeen, type OpenPlan, openRows, tooSmall, type WatchModel } from './watch-model.ts';

/** The whole screen, never more rows than it has. */
export function screenOf(model: WatchModel, gateway: string): Row[] {
  if (tooSmall(model)) return [['too small: make this window larger']].slice(0, model.size.rows);
  const { open, size } = model;
  const body = open === undefined ? listBody(model) : planBody(model, open);
  const rows: Row[] = [head(model, gateway), [], ...pad(body, bodyRows(model)), note(model), help(model)];
  return rows.map((row) => cutRow(row, size.columns));
}

function head({ approvals, trouble, open }: WatchModel, gateway: string): Row {
  if (open !== undefined) {
    const { approval } = open;
    const asked = `  asked by ${askedBy(approval)}, expires in ${timeLeft(approval)}`;
    return [[approval.id, 'bold'], asked, ...(trouble === '' ? [] : [['  not live', 'red'] as const])];
  }
  const count = approvals.length > 0 || trouble !== '' ? `${approvals.length} waiting` : 'nothing waits';
  return [['clawrden watch', 'bold'], `  ${count}  `, [gateway, 'grey']];
}

function listBody(model: WatchModel): Row[] {
  const { approvals, selected } = model;
  const room = bodyRows(model);
  const index = approvals.findIndex(({ id }) => id === selected);
  const from = Math.max(0, Math.min(index - Math.floor(room / 2), approvals.length - room));
  return approvals
    .slice(from, from + room)
    .map((approval) => listRow(approval, approval.id === selected, model.size.columns));
}

/** Digits of an id that are enough to tell it from others. */
const shownDigits = 12;

function listRow(approval: Approval, chosen: boolean, columns: number): Row {
  const before = `${chosen ? '> ' : '  '}${approval.id.slice(0, shownDigits)}  ${timeLeft(approval).padEnd(12)}  ${askedBy(approval)}  `;
  const text = cutText(commandText(approval), Math.max(0, columns - before.length));
  return chosen ? [[before + text, 'bold']] : [before, text];
}

function planBody(model: WatchModel, open: OpenPlan): Row[] {
  const rows = openRows(model, open).slice(open.top, open.top + bodyRows(model));
  return rows.map(({ text }) => [text]);
}

function note(model: WatchModel): Row {
  const { open, trouble, message } = model;
  if (open?.asking === 'approve')
    return [['let it run, exactly as shown? y: yes, any other key: no', 'yellow']];
  if (open?.asking === 'deny') return [['why not? ', 'yellow'], tail(open.reason, model.size.columns - 10)];
  if (message !== '') return [[escapeUnprintable(message), 'yellow']];
  if (trouble !== '') return [[escapeUnprintable(trouble), 'red']];
  if (open === undefined) return [];
  const below = openRows(model, open).length - open.top - bodyRows(model);
  return below > 0 ? [[`${below} more rows below`, 'yellow']] : [];
}

function help(model: WatchModel): Row {
  return [[helpText(model), 'grey']];
}

function helpText(model: WatchModel): string {
  const { open, approvals } = model;
  if (open === undefined) return approvals.length === 0 ? 'q quit' : 'up/down choose   enter read   q quit';
  if (open.asking === 'approve') return '';
  if (open.asking === 'deny') return 'enter deny   escape do not';
  const approve = fullySeen(model, open) ? 'a approve' : 'space more';
  return `${approve}   d deny   up/down scroll   q back`;
}

/** Keeps the end of the typed text visible. */
function tail(text: string, columns: number): string {
  return text.slice(Math.max(0, text.length - columns));
}

function pad(rows: readonly Row[], to: number): Row[] {
  return [...rows, ...Array.from({ length: Math.max(0, to - rows.length) }, (): Row => [])];
}
