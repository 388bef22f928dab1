import { ClawrdenError } from '../../../src/errors.ts';
import type { Faults } from '../../../src/faults.ts';
import type { Halt } from '../../ports/agent-state.ts';
import type { Principal } from '../../ports/principal.ts';
import type { WardenApi } from '../../ports/warden-api.ts';
import { permit } from '../../principals/call-rules.ts';
import { type Seen, seenBy } from '../../principals/seen-by.ts';
import { createAnswerPace } from './answer-pace.ts';
import { newConfirm } from './button.ts';
import type { ChatRoom, PostAnswer } from './chat-room.ts';
import { type ChatPeople, type ChatUser, personOf } from './person-of.ts';
import { type HaltOrder, readOrder } from './read-order.ts';
import { type Ask, askText, noteText, type OrderText } from './show-order.ts';

/** Words that somebody wrote to the bot, or to the app. */
export interface Written extends ChatUser {
  readonly text: string;
}

/** Who pressed, and what the button carries. */
export interface Confirm extends ChatUser {
  readonly data: string;
}

/** Stops agents by a word in a chat, which who wrote it confirms by a button: a slip of the thumb stops nobody. */
export interface HaltOrders {
  /** Asks for the confirm, in this chat. What is no order, or of nobody who is linked, gets no answer. */
  readonly take: (written: Written, room: ChatRoom) => Promise<void>;
  /** Resolves with what who pressed is told. */
  readonly confirm: (press: Confirm) => Promise<string>;
  readonly close: () => void;
}

export interface HaltParts {
  readonly warden: WardenApi;
  readonly principals: ChatPeople;
  readonly faults: Pick<Faults, 'report'>;
}

interface Asked extends HaltOrder, ChatUser {
  readonly room: ChatRoom;
  readonly ref: string;
  readonly timer: NodeJS.Timeout;
}

const call = 'WardenService/SetAgentState';
/** An order that nobody confirms within it is gone. */
const confirmMs = 60_000;
const mostAsked = 64;

export function createHaltOrders(parts: HaltParts): HaltOrders {
  const asked = new Map<string, Asked>();
  const closing = new AbortController();
  const paceOf = createAnswerPace();
  const show = (ref: string, room: ChatRoom, text: OrderText) =>
    room.edit(ref, noteText(text), closing.signal).catch((error) => parts.faults.report('chat', error));
  const forget = (code: string, { timer }: Asked) => {
    asked.delete(code);
    clearTimeout(timer);
  };
  const end = (code: string, text: OrderText) => {
    const one = asked.get(code);
    if (one === undefined) return;
    forget(code, one);
    void show(one.ref, one.room, text);
  };

  async function take({ text, ...who }: Written, room: ChatRoom): Promise<void> {
    const order = readOrder(text);
    const caller = order === undefined ? undefined : await personOf(who, parts.principals);
    if (order === undefined || caller === undefined) return;
    const seen = seenFor(caller, parts);
    const pace = paceOf(`${who.via} ${who.user}`, room, !('refused' in seen));
    if (pace === 'nothing') return;
    const reply = pace === 'too-fast' ? tooFast : replyTo(order, caller, seen);
    const isNote = 'title' in reply;
    const code = newConfirm();
    const message = isNote ? noteText(reply) : askText(reply, code);
    const posted: PostAnswer = await room.post(message, closing.signal);
    if (isNote || !('ref' in posted) || order === 'usage') return;
    const [oldest] = asked.keys();
    if (asked.size >= mostAsked && oldest !== undefined) end(oldest, tooMany);
    const timer = setTimeout(end, confirmMs, code, unconfirmed).unref();
    asked.set(code, { ...order, ...who, room, ref: posted.ref, timer });
  }

  return {
    take: (written, room) => take(written, room).catch((error) => parts.faults.report('chat', error)),
    confirm: async ({ data, via, user }) => {
      const order = asked.get(data);
      if (order === undefined) return 'Nothing was done: this order is over. Write it again.';
      if (order.via !== via || order.user !== user)
        return 'Nothing was done: who wrote it confirms it, nobody else.';
      // Before anything is waited for: a press that comes twice finds nothing the second time.
      forget(data, order);
      const said = await carryOut(order, await personOf(order, parts.principals), parts);
      void show(order.ref, order.room, { title: said, words: order.reason });
      return said;
    },
    close: () => {
      closing.abort();
      for (const { timer } of asked.values()) clearTimeout(timer);
      asked.clear();
    },
  };
}

const unconfirmed: OrderText = { title: 'Nothing was done: nobody confirmed it within a minute', words: '' };
const tooFast: OrderText = {
  title: 'Nothing was done: too many orders at once. Write one in ten seconds, or use clawrden lockdown.',
  words: '',
};
const tooMany: OrderText = { title: 'Nothing was done: too many other orders came', words: '' };

/** What the chat shows: a note, or what is to be confirmed. */
function replyTo(
  order: HaltOrder | 'usage',
  caller: Principal,
  seen: ReturnType<typeof seenFor>,
): OrderText | Ask {
  if ('refused' in seen) return { title: `Nothing was done: ${seen.refused}.`, words: '' };
  if (order === 'usage') return { title: 'Write: /pause AGENT REASON, or /kill AGENT REASON', words: '' };
  const agent = seen.warden.agents().find(({ name }) => name === order.agent);
  if (agent === undefined) return { title: noSuchAgent, words: '' };
  return { order, running: agent.running, pending: agent.pending, by: `person:${caller.name}` };
}

const noSuchAgent = 'Nothing was done: there is no such agent, or it is not of your agents.';

/** By the rights that they have now, and not those of when they wrote it. */
async function carryOut(
  { agent, state, reason, via }: Asked,
  caller: Principal | undefined,
  parts: HaltParts,
): Promise<string> {
  if (caller === undefined) return 'Nothing was done: you are not linked any more.';
  const seen = seenFor(caller, parts);
  if ('refused' in seen) return `Nothing was done: ${seen.refused}.`;
  try {
    const said = `${reason} (by ${via})`.trimStart();
    const halt = await seen.warden.setAgentState(agent, state, seen.by, said);
    return halt === undefined ? noSuchAgent : doneText(agent, state, halt);
  } catch (error) {
    if (error instanceof ClawrdenError && error.code === 'agent-killed') return `${agent}: ${error.message}`;
    // It is in force, and could not be kept or recorded: that must not read as a failure.
    if (error instanceof ClawrdenError) return `${agent}: ${state}: ${error.message}`;
    throw error;
  }
}

function seenFor(
  caller: Principal,
  { warden }: HaltParts,
): (Seen & { readonly by: Principal }) | { readonly refused: string } {
  const permitted = permit(caller, call);
  if ('refused' in permitted) return permitted;
  return { ...seenBy(warden, permitted.value), by: permitted.value };
}

function doneText(agent: string, state: HaltOrder['state'], { stopped, unconfirmed: left }: Halt): string {
  const ended = `${agent} is ${state}: ${stopped} ${stopped === 1 ? 'command' : 'commands'} ended.`;
  if (left.length === 0) return ended;
  return `${ended} Not confirmed to be gone: ${left.length}. Their own deadlines end them.`;
}
