import { useEffect, useMemo } from 'preact/hooks';
import { type Collection, type CollectionParts, createCollection } from './collection.ts';
import { useDashboard } from './dashboard.ts';

/** A collection for as long as the component is shown. It is made anew when `key` changes. */
export function useCollection<Row>(
  key: string,
  parts: Omit<CollectionParts<Row>, 'events'>,
): Collection<Row> {
  const { events } = useDashboard();
  const collection = useMemo(() => createCollection({ ...parts, events }), [key, events]);
  useEffect(() => collection.close, [collection]);
  return collection;
}
