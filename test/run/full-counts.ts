import { join } from 'node:path';
import { expect } from 'vitest';

// Files that this run tries with samples only (`turns.ts`). A worker of its own runs each file.
const checkout = join(import.meta.dirname, '../..');
const sampled = (process.env['CLAWRDEN_SAMPLED'] ?? '').split(' ').map((file) => join(checkout, file));
if (sampled.includes(expect.getState().testPath ?? '')) delete process.env['CLAWRDEN_LONG'];
