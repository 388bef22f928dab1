import { type Says, startScriptedModel } from './scripted-model.ts';

/** `startScriptedModel` as a program, at an address and with its script as JSON; prints its URL, and then each question. */
const [address = '', steps = ''] = process.argv.slice(2);
const script = JSON.parse(steps) as readonly Says[];
const model = await startScriptedModel((turn) => {
  process.stdout.write(`${JSON.stringify(model.asked.at(-1))}\n`);
  return script[turn - 1] ?? { content: 'It is done.' };
}, address);
process.stdout.write(`${model.url}\n`);
