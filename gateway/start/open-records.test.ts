import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { closeRecords, type Records } from './open-records.ts';

test('A-493 P25: a gateway that stops while its audit cannot be written closes history and database, and says why', async () => {
  const did: string[] = [];
  const does = (what: string) => async () => void did.push(what);
  const full = () => Promise.reject(new ClawrdenError('audit-unwritable', 'no space left on device'));
  const parts = {
    audit: { append: full, close: does('audit') },
    history: { close: does('history') },
    database: { destroy: does('database') },
  } as unknown as Records;
  await expect(closeRecords(parts)).rejects.toThrow('no space left on device');
  expect(did).toEqual(['audit', 'history', 'database']);
});
