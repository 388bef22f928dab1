import type { Status } from '../../../../src/http-api/status.ts';
import { useDashboard } from './dashboard.ts';
import { useCollection } from './use-collection.ts';

/** How the gateway is; undefined until it is known, and for people whose scope is not empty. */
export function useStatus(): Status | undefined {
  const { client } = useDashboard();
  const status = useCollection<Status>('status', {
    load: async function* load(signal) {
      yield await client().call('status', {}, { signal });
    },
    keyOf: () => 'status',
    take: (event, rows) => event.type === 'status' && rows.set('status', event.status) === rows,
  });
  return status.rows.value.get('status');
}
