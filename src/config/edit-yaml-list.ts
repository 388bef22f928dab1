import {
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/**
 * The text with one more item at the end of a list at its top; every byte that was there stays, `[]` for none besides.
 * `undefined` if there is no place for one. Who edits reads the result again: YAML can be written in more ways than
 * this knows.
 */
export function withItem(text: string, key: string, item: object): string | undefined {
  const { root, pair, list } = findList(text, key);
  if (root === undefined) return undefined;
  if (root.flow === true) return list && withFlowItem(text, list, item);
  if (pair === undefined) {
    const end = endOfKeys(text, root);
    return `${onWholeLines(text.slice(0, end))}${itemLines({ [key]: [item] }, 0)}${text.slice(end)}`;
  }
  if (list === undefined) return undefined;
  if (list.items.length === 0) return withFirstItem(text, list, itemLines([item], 2));
  if (list.flow === true) return withFlowItem(text, list, item);
  const at = endOfItem(text, list, list.items.length - 1);
  return `${onWholeLines(text.slice(0, at))}${itemLines([item], indentOf(text, list))}${text.slice(at)}`;
}

/** The text without one item of a list at its top. */
export function withoutItem(text: string, key: string, index: number): string | undefined {
  const { pair, list } = findList(text, key);
  if (pair === undefined || list === undefined) return undefined;
  const [from, to] = placeOf(text, list, index);
  const rest = text.slice(0, from) + text.slice(to);
  if (list.items.length > 1 || list.flow === true) return rest;
  const colon = rest.indexOf(':', rangeOf(pair.key)[1]) + 1;
  return `${rest.slice(0, colon)} []${rest.slice(colon)}`;
}

/** An item as it is written, and the number of its first line. */
export function writtenItem(text: string, key: string, index: number): { text: string; line: number } {
  const { list } = findList(text, key);
  const [from, to] = list === undefined ? [0, 0] : placeOf(text, list, index);
  return { text: text.slice(from, to), line: text.slice(0, from).split('\n').length };
}

/** Block style, each line with its break. */
export function itemLines(value: object, indent: number): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');
}

interface Found {
  readonly root?: YAMLMap;
  readonly pair?: Pair;
  readonly list?: YAMLSeq;
}

/** `complete` stays the last key, below the comments above it. */
function endOfKeys(text: string, { items }: YAMLMap): number {
  const last = items.at(-1)?.key;
  if (!isScalar(last) || last.value !== 'complete') return text.length;
  let at = rangeOf(last)[0];
  for (;;) {
    const before = text.lastIndexOf('\n', at - 2) + 1;
    if (at === 0 || text[before] !== '#') return at;
    at = before;
  }
}

function findList(text: string, key: string): Found {
  const root = parseDocument(text).contents;
  if (!isMap(root)) return {};
  const pair = root.items.find((each) => isScalar(each.key) && each.key.value === key);
  if (pair === undefined) return { root };
  return isSeq(pair.value) ? { root, pair, list: pair.value } : { root, pair };
}

function withFlowItem(text: string, list: YAMLSeq, item: object): string {
  const at = rangeOf(list)[1] - 1;
  return `${text.slice(0, at)}${list.items.length === 0 ? '' : ', '}${JSON.stringify(item)}${text.slice(at)}`;
}

/** In place of `[]`, with what stands behind that on its line. */
function withFirstItem(text: string, list: YAMLSeq, lines: string): string {
  const [start, end] = rangeOf(list);
  const at = nextLine(text, end);
  const key = text.slice(0, start).trimEnd();
  return `${onWholeLines(key + text.slice(end, at))}${lines}${text.slice(at)}`;
}

/** Whole lines if the list is written in lines. */
function placeOf(text: string, list: YAMLSeq, index: number): readonly [from: number, to: number] {
  const [start, end] = rangeOf(list.items[index]);
  if (list.flow !== true) {
    const dash = text.lastIndexOf('-', start - 1);
    return [text.lastIndexOf('\n', dash) + 1, endOfItem(text, list, index)];
  }
  if (index + 1 < list.items.length) return [start, rangeOf(list.items[index + 1])[0]];
  return [index === 0 ? start : rangeOf(list.items[index - 1])[1], end];
}

/** Comments that stand deeper than the item's dash are its own. */
function endOfItem(text: string, list: YAMLSeq, index: number): number {
  const end = lastEnd(list.items[index]);
  const own = new RegExp(`[ \\t]{${indentOf(text, list) + 1},}#.*(\\n|$)`, 'y');
  own.lastIndex = text[end - 1] === '\n' ? end : nextLine(text, end);
  for (;;) {
    const at = own.lastIndex;
    if (at === text.length || !own.test(text)) return at;
  }
}

/** A block's own end is behind the comments that follow it. */
function lastEnd(node: unknown): number {
  if (!isCollection(node) || node.flow === true) return rangeOf(node)[1];
  const last: unknown = node.items.at(-1);
  return lastEnd(isMap(node) ? ((last as Pair).value ?? (last as Pair).key) : last);
}

function indentOf(text: string, list: YAMLSeq): number {
  const [start] = rangeOf(list);
  return start - (text.lastIndexOf('\n', start - 1) + 1);
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function onWholeLines(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function rangeOf(node: unknown): readonly [start: number, end: number] {
  const [start = 0, end = 0] = (node as { range?: readonly number[] | null } | null)?.range ?? [];
  return [start, end];
}
