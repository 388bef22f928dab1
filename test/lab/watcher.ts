import { removeLab } from './remove.ts';

const id = process.argv[2] ?? '';
process.stdin.resume().on('end', () => void removeLab(id));
