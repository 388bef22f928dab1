/** One log line for everything that ended for the same reason since the last flush, so that a peer cannot flood the log. */
export interface CountedReasons {
  readonly tell: (reason: string, peer: string) => void;
  readonly flush: () => void;
}

export interface CountedReason {
  readonly reason: string;
  readonly count: number;
  /** The last reason. */
  readonly peer: string;
}

const maxReasons = 100;

export function countedReasons(write: (entry: CountedReason) => void): CountedReasons {
  const counts = new Map<string, { count: number; peer: string }>();
  return {
    tell: (reason, peer) => {
      const key = counts.has(reason) || counts.size < maxReasons ? reason : 'other reasons';
      counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, peer });
    },
    flush: () => {
      for (const [reason, entry] of counts) write({ reason, ...entry });
      counts.clear();
    },
  };
}
