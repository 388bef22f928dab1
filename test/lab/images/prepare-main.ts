import { makeMissingImages } from './prepare.ts';

process.stdout.write(JSON.stringify(await makeMissingImages()));
