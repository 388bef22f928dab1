import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Site } from './site.ts';

const patience = () => AbortSignal.timeout(15_000);

test.each(['settle', 'bringHome'] as const)(
  'P24: a host that is lost ends the exchange with it (%s) with host-lost, and the next one has another carrier',
  async (step) => {
    await using site = new Site('/dev/shm');
    const first = site.visit('one');
    await first.settle(patience());
    writeFileSync(join(site.home.root, 'at home'), 'x');
    writeFileSync(join(site.replicas.one.root, 'there'), 'x');
    await site.freeze('one');
    const cut = first[step](patience());
    await sleep(300);
    site.lose('one');
    await expect(cut).rejects.toMatchObject({ code: 'host-lost' });
    first.end();
    const next = site.visit('one');
    await next.settle(patience());
    expect(site.told).toMatchObject([{ why: 'late' }]);
    expect(site.difference('one')).toBe('');
    next.end();
  },
);
