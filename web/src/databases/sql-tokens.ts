import type { StringStream } from '@codemirror/language';

/** Only what the colours of a query need: the service alone understands it. */
const KEYWORDS = new Set(
  (
    'add all alter analyze and any as asc begin between by cascade case cast check column commit constraint copy ' +
    'create cross current_date current_timestamp database default delete desc distinct do drop else end except ' +
    'exists explain extension false fetch filter for foreign from full function grant group having if ilike in ' +
    'index inner insert intersect into is join key lateral left like limit materialized natural not null nulls ' +
    'offset on or order outer over partition primary references returning revoke right rollback row rows schema ' +
    'select set show table then to trigger true truncate type union unique update using vacuum values view when ' +
    'where window with'
  ).split(' '),
);
const TYPES = new Set(
  (
    'bigint bigserial boolean bytea char date double inet integer int interval json jsonb numeric real serial ' +
    'smallint text time timestamp timestamptz uuid varchar'
  ).split(' '),
);

/** What of the line before reaches into the next one. */
export interface SqlState {
  /** The depth of comments, which nest in PostgreSQL. */
  comments: number;
  /** What ends the text that is open: a quote, or the tag between dollars. */
  end: string | undefined;
}

export const startOfSql = (): SqlState => ({ comments: 0, end: undefined });

/** Reads one token, and returns the kind that has its colour. */
export function tokenOf(stream: StringStream, state: SqlState): string | null {
  if (state.comments > 0) return inComment(stream, state);
  if (state.end !== undefined) return inText(stream, state, state.end);
  if (stream.eatSpace()) return null;
  if (stream.match('--')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) {
    state.comments = 1;
    return inComment(stream, state);
  }
  const dollar = stream.match(/^\$[A-Za-z_]*\$/) as RegExpMatchArray | null;
  if (dollar !== null) return inText(stream, state, dollar[0]);
  if (stream.match("'")) return inText(stream, state, "'");
  if (stream.match(/^"(?:[^"]|"")*"?/)) return 'propertyName';
  if (stream.match(/^\d+(?:\.\d+)?/)) return 'number';
  if (stream.match(/^\$\d+/)) return 'number';
  const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
  if (word === null) {
    stream.next();
    return null;
  }
  const lower = word[0].toLowerCase();
  return KEYWORDS.has(lower) ? 'keyword' : TYPES.has(lower) ? 'typeName' : null;
}

function inComment(stream: StringStream, state: SqlState): string {
  while (state.comments > 0 && !stream.eol()) {
    if (stream.match('*/')) state.comments--;
    else if (stream.match('/*')) state.comments++;
    else stream.next();
  }
  return 'comment';
}

/** A quote that is doubled ends one text and begins another, which has the same colour. */
function inText(stream: StringStream, state: SqlState, end: string): string {
  state.end = end;
  while (!stream.eol()) {
    if (stream.match(end)) {
      state.end = undefined;
      break;
    }
    stream.next();
  }
  return 'string';
}
