import { parseArgs } from 'node:util';
import { startLab } from '../lab/lab.ts';
import { describeEnds } from './commands.ts';
import { type SoakReport, soak } from './soak.ts';

const mostMinutes = 1440;

const usage = `usage: scripts/soak --minutes N [--upgrades] [--seed S] [--json]

Types up to six commands a second in two agents' containers, breaks one part of the chain and kills up to three carriers every
minute, and checks what must hold whatever breaks. Replicas follow the second agent. Beside it, two carriers exchange a
workspace and are cut at one frame after another, and a page of the dashboard is open. Exit status 1: something did not hold.
  --minutes N   for so long, ${mostMinutes} at most
  --upgrades    nothing is broken; every minute the gateway is ended or killed, and another version started on its state:
                at first the last release's programs by the present ones, then the present ones by a copy that says another
                version, and back. What did not run at that moment must end as it would have
  --seed S      the same faults as in another run; the time when left out
  --json        the result as JSON on stdout, the lines meanwhile on stderr
  --help        this text
`;

const say = (line: string) => process.stderr.write(`soak: ${line}\n`);

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      upgrades: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const usable = Number.isInteger(minutes) && minutes > 0 && minutes <= mostMinutes;
  if (values.help === true || !usable || !Number.isSafeInteger(seed)) {
    process.stdout.write(usage);
    process.exitCode = values.help === true ? 0 : 2;
    return;
  }
  const lab = await startLab({ hosts: 2, progress: say });
  try {
    const output = values.json ? process.stderr : process.stdout;
    const options = { minutes, seed, upgrades: values.upgrades };
    const report = await soak(lab, { ...options, say: (line) => output.write(`${line}\n`) });
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : describe(report));
    process.exitCode = report.problems.length === 0 ? 0 : 1;
  } catch (error) {
    // Said before the lab goes: whatever still runs on it then fails, too, and ends this program.
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  } finally {
    await lab.stop();
  }
}

function describe({ commands, ends, faults, programs, problems }: SoakReport): string {
  const trends = programs.map(({ program, minutes, megabytes, descriptors, ...slopes }) => {
    const now = `${megabytes.toFixed(0)} MB, ${descriptors} descriptors`;
    const growth = `${slopes.megabytesSlope.toFixed(2)} MB and ${slopes.descriptorsSlope.toFixed(2)} descriptors`;
    return `${program}: ${now} at last; over ${minutes.toFixed(1)} settled minutes ${growth} a minute`;
  });
  const { chain, inExchanges, framesTo, framesFrom } = faults;
  const struck = [
    `${chain} faults of parts of the chain, ${inExchanges} of them in an exchange of a workspace`,
    `${framesTo + framesFrom} exchanges of carriers cut at a frame: ${framesTo} to a carrier, ${framesFrom} from one`,
  ];
  const wrong = problems.map((problem) => `wrong: ${problem}`);
  const end = problems.length === 0 ? 'everything held' : `${problems.length} did not hold`;
  return [`${commands} commands: ${describeEnds(ends)}`, ...struck, ...trends, ...wrong, end, ''].join('\n');
}
