/** Where a statement ends or a part begins in which a semicolon means nothing. */
const NEXT = /;|'|"|--|\/\*|\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/g;

export interface Split {
  /** Whole statements, without their semicolons. */
  readonly statements: readonly string[];
  /** What follows the last semicolon. */
  readonly rest: string;
}

/** Splits SQL at the semicolons that are not in texts, names, comments or function bodies. */
export function splitStatements(sql: string): Split {
  const statements: string[] = [];
  let start = 0;
  for (let at = 0; ;) {
    NEXT.lastIndex = at;
    const found = NEXT.exec(sql);
    if (found === null) break;
    if (found[0] === ';') {
      const statement = sql.slice(start, found.index);
      if (!isBlank(statement)) statements.push(statement.trim());
      start = at = found.index + 1;
      continue;
    }
    const end = endOf(sql, found[0], found.index);
    if (end === undefined) break;
    at = end;
  }
  return { statements, rest: sql.slice(start) };
}

/** Whether there is nothing to run: only white space and comments. */
export function isBlank(sql: string): boolean {
  for (let at = 0; ;) {
    at += /^\s*/.exec(sql.slice(at))![0].length;
    if (at === sql.length) return true;
    const opening = sql.slice(at, at + 2);
    const end = opening === '--' || opening === '/*' ? endOf(sql, opening, at) : undefined;
    if (end === undefined) return opening === '--';
    at = end;
  }
}

/** Returns where the part ends that begins with `opening`, or undefined if it does not end. */
function endOf(sql: string, opening: string, at: number): number | undefined {
  switch (opening) {
    case '--':
      return after(sql, '\n', at);
    case '/*':
      return endOfComment(sql, at);
    case "'":
      return isEscapeText(sql, at) ? endOfEscapeText(sql, at) : after(sql, "'", at + 1);
    // A doubled quote ends a text and begins the next one, which is the same to us.
    case '"':
      return after(sql, '"', at + 1);
    default:
      // After a letter or a digit, a dollar belongs to a name.
      return isInName(sql, at) ? at + 1 : after(sql, opening, at + opening.length);
  }
}

function after(sql: string, closing: string, from: number): number | undefined {
  const at = sql.indexOf(closing, from);
  return at === -1 ? undefined : at + closing.length;
}

const isInName = (sql: string, at: number): boolean => at > 0 && /[\w$\u0080-\uFFFF]/.test(sql[at - 1]!);

/** Comments of this kind contain others. */
function endOfComment(sql: string, at: number): number | undefined {
  const part = /\/\*|\*\//g;
  part.lastIndex = at;
  let depth = 0;
  for (let found = part.exec(sql); found !== null; found = part.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return part.lastIndex;
  }
  return undefined;
}

/** In E'…', a backslash keeps a quote from ending the text. */
const isEscapeText = (sql: string, at: number): boolean => /[eE]/.test(sql[at - 1] ?? '') && !isInName(sql, at - 1);

function endOfEscapeText(sql: string, at: number): number | undefined {
  for (let index = at + 1; index < sql.length; index++) {
    if (sql[index] === '\\') index++;
    else if (sql[index] === "'") return index + 1;
  }
  return undefined;
}
