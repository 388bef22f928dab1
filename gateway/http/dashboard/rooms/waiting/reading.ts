import { computed, type ReadonlySignal, signal } from '@preact/signals';

/** How much of one plan has been on the screen. */
export interface Reading {
  /** Called with the pieces of a plan: how many there are, and how many of them are shown without being asked for. */
  readonly begin: (pieces: number, unasked: number) => void;
  readonly see: (pieces: readonly number[]) => void;
  /** The person has asked for the rest. */
  readonly open: () => void;
  /** Pieces that neither were on the screen nor were opened: with any of them nobody can approve. */
  readonly unread: ReadonlySignal<number>;
  /** Every piece was on the screen. */
  readonly isWhole: ReadonlySignal<boolean>;
  readonly firstUnseen: () => number;
}

export function createReadings(): (id: string) => Reading {
  const readings = new Map<string, Reading>();
  return (id) => {
    const found = readings.get(id) ?? createReading();
    readings.set(id, found);
    return found;
  };
}

function createReading(): Reading {
  const seen = signal<ReadonlySet<number>>(new Set());
  const all = signal({ pieces: 0, unasked: 0, begun: false, isOpen: false });
  return {
    begin: (pieces, unasked) => {
      if (!all.peek().begun) all.value = { ...all.peek(), pieces, unasked, begun: true };
    },
    see: (pieces) => {
      const fresh = pieces.filter((piece) => !seen.peek().has(piece));
      if (fresh.length > 0) seen.value = new Set([...seen.peek(), ...fresh]);
    },
    open: () => {
      all.value = { ...all.peek(), isOpen: true };
    },
    unread: computed(() => {
      const { pieces, unasked, begun, isOpen } = all.value;
      if (!begun) return 1;
      let missing = isOpen ? 0 : pieces - unasked;
      for (let piece = 0; piece < unasked; piece += 1) if (!seen.value.has(piece)) missing += 1;
      return missing;
    }),
    isWhole: computed(() => all.value.begun && seen.value.size >= all.value.pieces),
    firstUnseen: () => {
      const { pieces } = all.peek();
      for (let piece = 0; piece < pieces; piece += 1) if (!seen.peek().has(piece)) return piece;
      return -1;
    },
  };
}
