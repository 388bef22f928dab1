import { type Kysely, sql } from 'kysely';
import { searchedLine } from '../../src/line-search.ts';

/** Behind each other they are all numbers, as one word of the index, of three characters. */
const codeOf = (number: string) =>
  `char(19968 + ${number} % 20000, 19968 + ${number} / 20000 % 20000, 19968 + ${number} / 400000000)`;

/** As `codeOf` does. */
export function codeOfAgent(number: number): string {
  const parts = [number % 20_000, Math.floor(number / 20_000) % 20_000, Math.floor(number / 400_000_000)];
  return String.fromCharCode(...parts.map((part) => 19_968 + part));
}

const firstTexts = ['argv', 'cwd', 'plan', 'operands', 'text', 'decision_reason', 'cut'];
const texts = [...firstTexts, 'connections'];
/** About what a row takes, with its share of the indexes; what is searched takes four times itself. */
const sizeOf = (row: string, all: readonly string[]) =>
  `(1000 + 4 * octet_length(${row}argv) + ${all.map((name) => `octet_length(${row}${name})`).join(' + ')})`;

const lineOf = (row: string) => `substr((select group_concat(value, ' ' order by key)
  from json_each(case when json_valid(${row}argv) then ${row}argv else '[]' end)), 1, ${searchedLine})`;

/**
 * What `q` and `tool` look at. The index has the trigrams of each line, not where they stand, and whose the line is, so
 * that who sees few agents pays for few lines. Kept up by triggers, as the sizes are.
 */
export async function addSearch(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`alter table executions add column tool text generated always as
    (case when json_valid(argv) then json_extract(argv, '$[0]') else '' end) virtual`);
  await run('create index executions_by_tool on executions (tool, received_at)');
  await run('create index executions_by_agent_and_tool on executions (agent, tool, received_at)');
  await run('create table searched_agents (number integer primary key not null, agent text not null unique)');
  await run(`create virtual table command_lines using fts5(line, whose, content = '', contentless_delete = 1,
    detail = column, tokenize = 'trigram')`);
  await run('insert into searched_agents (agent) select distinct agent from executions');
  await run(`insert into command_lines (rowid, line, whose) select executions.rowid, ${lineOf('executions.')},
    ${codeOf('number')} from executions join searched_agents on searched_agents.agent = executions.agent`);
  await run('delete from history_sizes');
  await run(
    `insert into history_sizes select agent, sum${sizeOf('', firstTexts)} from executions group by agent`,
  );
  for (const name of ['grows', 'shrinks', 'changes']) await run(`drop trigger history_${name}`);
  await makeTriggers(run, firstTexts);
}

/** So that a list of a tool's rows with one decision reads no others of that tool. */
export async function tellDecisionsApart(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run('drop index executions_by_tool');
  await run('drop index executions_by_agent_and_tool');
  await run('create index executions_by_tool on executions (tool, decision, received_at)');
  await run('create index executions_by_agent_and_tool on executions (agent, tool, decision, received_at)');
}

/** What an execution reached by name; its size counts, too. */
export async function addConnections(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run("alter table executions add column connections text not null default ''");
  for (const name of ['grows', 'shrinks', 'changes', 'renames']) await run(`drop trigger history_${name}`);
  await makeTriggers(run, texts);
}

/** In lists, which have no long texts. */
export async function countConnections(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run('alter table executions add column connection_count bigint not null default 0');
  await run(`update executions set connection_count =
    (select coalesce(sum(json_extract(value, '$.times')), 0) from json_each(connections))
    where connections <> '' and json_valid(connections)`);
}

async function makeTriggers(
  run: (statement: string) => Promise<unknown>,
  counted: readonly string[],
): Promise<void> {
  const trigger = (name: string, event: string, body: string, when = '') =>
    run(`create trigger history_${name} after ${event} on executions ${when} begin ${body} end`);
  const add = `insert into history_sizes values (new.agent, ${sizeOf('new.', counted)})
    on conflict (agent) do update set bytes = bytes + excluded.bytes;`;
  const subtract = `update history_sizes set bytes = bytes - ${sizeOf('old.', counted)} where agent = old.agent;
    delete from history_sizes where agent = old.agent and bytes <= 0;`;
  const index = `insert into searched_agents (agent) values (new.agent) on conflict do nothing;
    insert into command_lines (rowid, line, whose) select new.rowid, ${lineOf('new.')}, ${codeOf('number')}
      from searched_agents where agent = new.agent;`;
  const forget = 'delete from command_lines where rowid = old.rowid;';
  await trigger('grows', 'insert', `${add} ${index}`);
  await trigger('shrinks', 'delete', `${subtract} ${forget}`);
  await trigger('changes', 'update', `${subtract} ${add}`);
  // Each state of an execution is written with its command line, which stays the same.
  const isOther = 'when old.argv <> new.argv or old.agent <> new.agent';
  await trigger('renames', 'update of argv, agent', `${forget} ${index}`, isOther);
}
