import { startLab } from './lab.ts';

const progress = (line: string) => process.stdout.write(`${line}\n`);
progress('starting');
const lab = await startLab({ hosts: 2, progress });
progress(`running ${lab.id}`);
setInterval(() => {}, 1000);
