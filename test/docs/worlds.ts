/** Where the shell blocks of the pages run, in the order in which a reader meets them. */
export interface World {
  /** Pages in their order; blocks of other pages come after these. */
  readonly pages: readonly string[];
  /** Bash that comes before the blocks. */
  readonly before: string;
  /** Words of the pages that stand for something of the reader's own, and what they are here, as bash. */
  readonly words: Readonly<Record<string, string>>;
  /** Lines that begin so may end with 1 here, because something is missing that a reader has. */
  readonly lacking?: readonly string[];
}

/** A gateway that runs, with an agent of a relay, its admin's context, and a question that waits. */
const running = `
clawrden init --dir ~/clawrden --name localhost > init.out
cp "$PAGES_POLICY" ~/clawrden/policy.yaml
clawrden agents remove coder --config ~/clawrden/gateway.yaml > removed.out
clawrden agents add coder --relay host-7 --config ~/clawrden/gateway.yaml > add.out
clawrden gateway --config ~/clawrden/gateway.yaml 2> gateway.log &
until_ready gateway.log
cp -r "$CHECKOUT/tools" . && cp "$CHECKOUT/policy.yaml" . && cp "$PAGES_TESTS" tests.yaml
clawrden relay invite host-7 --agent coder > invited.token
clawrden tokens create asker --role orchestrator > asker.token
TOKEN=$(grep -o 'clw_[A-Za-z0-9_-]*' asker.token | head -n 1)
curl -sS -o asked.json -X POST http://127.0.0.1:8080/api/v1/executions -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -H 'Prefer: respond-async' \\
  -d '{ "agent": "coder", "tool": "page", "args": ["http://page.example/"] }'
clawrden pending --json > pending.json
QUESTION=$(node -p 'JSON.parse(require("fs").readFileSync("pending.json", "utf8"))[0].id')
`;

export const worlds: Readonly<Record<string, World>> = {
  // A machine with the checkout, and nothing else of ours.
  'first-steps': {
    pages: ['README.md'],
    before: 'cd "$CHECKOUT"',
    words: {},
    // No Docker host.
    lacking: ['clawrden doctor'],
  },
  setup: {
    pages: ['docs/setup.md'],
    before: '',
    words: { '/etc/clawrden': '"$HOME/etc"', 'warden.example': 'localhost' },
  },
  gateway: {
    pages: ['README.md', 'docs/setup.md'],
    before: running,
    words: {
      '3f9a': '"$QUESTION"',
      '--token TOKEN': '--token "$(tail -n 1 invited.token)"',
      'warden.example': 'localhost',
      '/var/lib/clawrden': '"$HOME/relay"',
    },
    // No engine by which a relay could confirm it; and no networks for the shipped tools in the policy.
    lacking: ['clawrden pause', 'clawrden tools check', 'clawrden policy check policy.yaml --tool-files'],
  },
};
