/** One line of an engine's report while it pulls. */
export interface PullMessage {
  /** The id of a layer, or the tag. */
  readonly id?: string;
  readonly status?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
}

const fetched: ReadonlySet<string> = new Set([
  'Already exists',
  'Verifying Checksum',
  'Download complete',
  'Extracting',
  'Pull complete',
]);
const maxLayers = 256;

/** Whole per cent of the layers to be pulled that are there, each with the same weight; never falls. */
export function createPullProgress(): (message: PullMessage) => number {
  const layers = new Map<string, number>();
  let percent = 0;
  return ({ id = '', status = '', progressDetail = {} }) => {
    const { current = 0, total = 0 } = progressDetail;
    // The engine reports the layers that it has first: with them counted, the first value would be 100 %.
    if (status === 'Already exists' && !layers.has(id)) return percent;
    const known = layers.has(id) || layers.size < maxLayers;
    if (known && fetched.has(status)) layers.set(id, 1);
    else if (known && status === 'Pulling fs layer') layers.set(id, 0);
    else if (known && status === 'Downloading' && total > 0) layers.set(id, Math.min(current / total, 1));
    const sum = [...layers.values()].reduce((all, part) => all + part, 0);
    percent = Math.max(percent, Math.floor((100 * sum) / Math.max(layers.size, 1)));
    return percent;
  };
}
