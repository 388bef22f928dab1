import { quoteText, renderText } from '../../../../src/text/render-text.ts';
import { type Piece, piecesOfRendered, piecesOfWritten } from './marked-pieces.ts';

interface AgentTextProps {
  /** As somebody else wrote it: an agent, a tool, a file name. */
  readonly text: string;
  /** Without its quotes, where nothing of ours stands on the same line. */
  readonly bare?: boolean;
  /** Characters at most; what is left out is counted. */
  readonly most?: number;
}

/** Text of agents: never more than text, in one direction, with everything marked that a reader cannot see. */
export function AgentText({ text, bare = false, most = 2000 }: AgentTextProps) {
  const shown = text.length > most ? text.slice(0, most) : text;
  return (
    <q class="agent-text" dir="ltr">
      <Rendered text={bare ? renderText(shown) : quoteText(shown)} />
      {text.length > most && <span class="soft"> and {text.length - most} characters more</span>}
    </q>
  );
}

/** A text that is rendered already, with its escapes marked. */
export function Rendered({ text }: { readonly text: string }) {
  return <Pieces pieces={piecesOfRendered(text)} />;
}

/** A text as it is written; characters that nobody sees are shown, marked. */
export function Written({ text }: { readonly text: string }) {
  return <Pieces pieces={piecesOfWritten(text)} />;
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <>{pieces.map(({ text, name }) => (name === undefined ? text : <mark title={name}>{text}</mark>))}</>
  );
}
