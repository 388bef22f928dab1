import type { AuditRecord } from '../../gateway/audit/audit-record.ts';

/** Those that the log makes itself. */
type OfTheLog = 'head' | 'signing-key';

type EveryRecord = {
  readonly [Type in Exclude<AuditRecord['type'], OfTheLog>]: AuditRecord & { readonly type: Type };
};

/** Characters that are written in several ways, or that some reader takes for something else. */
export const oddText =
  '"\\/ \b\f\n\r\t\u0000\u001b[2J\u007f\u0080\u0085\u009b é ß Ω 漢 \u2028\u2029\ufeff\ufffd\uffff 😀 𐍈 \ud800 \udc00x\ude00\ud83d {"seq":1,"hash":"0"}';

const ids = { execution: oddText, caller: 'relay:host-1', agent: 'coder' };
const hashes = { planHash: 'ab'.repeat(32), policyHash: 'cd'.repeat(32) };
const told = { by: 'person:ann', reason: oddText };
const operands = [
  { path: 'a.sh', digest: '00', file: `/app/${oddText}`, notHeld: 'x' },
  { notInspected: oddText },
  { path: '', notInspected: '' },
];
const numbers = { received: 0, queued: -0, running: 1e21, late: 1.5e300, early: 5e-324, half: 0.1 + 0.2 };

/** One record of each type, with all of its fields. */
export const everyRecord: EveryRecord = {
  decision: {
    ...{ type: 'decision', ...ids, decision: 'ask', rule: 'r', reason: oddText, code: '', cwd: '/app' },
    ...{ argv: ['', oddText, '\ud800'], uid: 0, gid: 4_294_967_295, strategy: 'ghost', ...hashes },
    cut: { words: 3, bytes: 9007199254740991, sha256: 'ef' },
  },
  refusals: {
    ...{ type: 'refusals', caller: '', agent: '', count: 1, codes: { 'no-host': 2, '7': 3, __proto: 4 } },
    ...{ first: '', last: '', lastExecution: '', lastSha256: '' },
  },
  inspection: { type: 'inspection', ...ids, host: 'h', operands, planHash: '' },
  verdict: {
    ...{ type: 'verdict', ...ids, approval: 'a', verdict: 'approved', via: 'cli', ...told },
    ...{ grantMs: 3_600_000, planHash: '' },
  },
  start: { type: 'start', ...ids, host: 'h', container: 'c', planHash: '', approver: 'person:ann', operands },
  outcome: {
    ...{ type: 'outcome', ...ids, outcome: 'exited', code: 0, signal: -0, reason: '', text: oddText },
    ...{ stdoutBytes: 0, stderrBytes: 1e15, stdoutDigest: '', stderrDigest: '', durationsMs: numbers },
    usage: { userMs: 1.25, systemMs: -0, maxResidentKib: 2 ** 53 },
  },
  'late-exit': { type: 'late-exit', ...ids, host: 'h', container: 'c', code: 137, text: oddText },
  connection: {
    ...{ type: 'connection', execution: '', agent: 'coder', network: oddText, to: oddText, route: 'model' },
    ...{ address: '::1', outcome: 'denied', text: oddText, up: 0, down: 2 ** 53, ms: 1, turnedAway: 7 },
  },
  'way-out': {
    ...{ type: 'way-out', agent: 'coder', network: oddText, allow: [{ to: 'a.example:443', private: true }] },
    routes: [{ name: 'model', to: 'https://m.example/', methods: ['GET'], headers: ['a'], secrets: ['k'] }],
  },
  watch: { type: 'watch', ...ids, by: 'person:otto' },
  control: { type: 'control', agent: '*', state: 'paused', ...told },
  host: { type: 'host', host: 'h', state: 'draining', ...told },
  session: {
    ...{ type: 'session', agent: 'coder', state: 'started', host: 'h', container: 'c', image: oddText },
    ...told,
  },
  assignment: {
    ...{ type: 'assignment', event: 'assigned', agent: 'coder', tool: 'gh', action: 'ask' },
    ...told,
  },
  revocation: { type: 'revocation', principal: 'relay:r2', epoch: 2, ...told },
  credential: {
    ...{ type: 'credential', credential: 'certificate', principal: 'relay:r2', agents: ['coder', oddText] },
    ...{ by: 'token:1', from: '[::1]:7', id: '0', fingerprint: '', until: '2026-11-23T00:00:00.000Z' },
  },
  person: {
    ...{
      type: 'person',
      event: 'set',
      person: 'dave',
      role: 'admin',
      scope: { 10: 'x', 2: 'y', team: oddText },
    },
    ...{ until: '', ...told },
  },
  yes: { type: 'yes', ...ids, approval: 'a', ...told, via: 'cli', planHash: '', given: 1, needed: 2 },
  link: { type: 'link', event: 'set', principal: 'person:ann', person: 'bob', ...told },
  'sign-in': {
    ...{ type: 'sign-in', event: 'signed-in', person: 'ann', issuer: 'https://login.example', subject: '1' },
    ...{ rights: [{ role: 'viewer', scope: { team: oddText } }], from: '', reason: oddText },
  },
  token: {
    ...{ type: 'token', event: 'set', token: 't', principal: 'program:p', role: 'viewer', scope: {} },
    ...{ digest: '', formerDigest: '', formerUntil: '', until: '', ...told },
  },
  grant: {
    ...{ type: 'grant', event: 'given', grant: 'g', agent: 'coder', planHash: '', execution: '' },
    ...{ until: '', ...told },
  },
  'workspace-trusted': { type: 'workspace-trusted', agent: 'coder', host: '', ...told, text: oddText },
  'workspace-restored': { type: 'workspace-restored', agent: 'coder', host: '', ...told, text: oddText },
  'workspace-reset': { type: 'workspace-reset', agent: 'coder', host: 'h', ...told, text: oddText },
  authority: {
    ...{ type: 'authority', event: 'rotated', fingerprint: 'AB:CD', former: 'EF', formerUntil: '' },
    ...told,
  },
  incident: { type: 'incident', incident: 'x', caller: '', text: oddText },
  lifecycle: { type: 'lifecycle', event: 'start', text: oddText },
};
