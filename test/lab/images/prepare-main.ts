import { makeMissing } from './prepare.ts';

process.stdout.write(await makeMissing());
