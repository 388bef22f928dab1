import { type Says, startScriptedModel } from './scripted-model.ts';

/**
 * `startScriptedModel` as a program, at an address, with its script as JSON, and at a port if one is named; prints its
 * URL, and then each question.
 */
const [address = '', steps = '', port = '0'] = process.argv.slice(2);
const script = JSON.parse(steps) as readonly Says[];
const model = await startScriptedModel(
  (turn) => {
    process.stdout.write(`${JSON.stringify(model.asked.at(-1))}\n`);
    return script[turn - 1] ?? { content: 'It is done.' };
  },
  address,
  Number(port),
);
process.stdout.write(`${model.url}\n`);
