/** One line of an ignore file. */
interface Rule {
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
  /** Matches paths relative to the directory of the file. */
  readonly pattern: RegExp;
}

const SPECIAL = /[.*+?^${}()|[\]\\/]/g;
const literal = (text: string): string => text.replace(SPECIAL, '\\$&');

/** The rules of one ignore file, in the format of `.gitignore`. */
export class IgnoreRules {
  private readonly rules: readonly Rule[];

  constructor(text: string) {
    this.rules = text
      .replace(/^\uFEFF/, '')
      .split('\n')
      .flatMap((line) => ruleOf(line.replace(/\r$/, '')) ?? []);
  }

  /**
   * True if the last rule that matches the path ignores it, false if it includes it; undefined when no rule matches.
   * The path is relative to the directory of the file.
   */
  ignores(path: string, isDirectory: boolean): boolean | undefined {
    const rule = this.rules.findLast(
      ({ directoriesOnly, pattern }) => (isDirectory || !directoriesOnly) && pattern.test(path),
    );
    return rule === undefined ? undefined : !rule.isNegated;
  }
}

/** Returns undefined for a line without a rule: an empty one, a comment, or a pattern that can match nothing. */
function ruleOf(line: string): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  let text = withoutTrailingSpaces(line);
  const isNegated = text.startsWith('!');
  if (isNegated) text = text.slice(1);
  const directoriesOnly = text.endsWith('/');
  if (directoriesOnly) text = text.slice(0, -1);
  if (text === '') return undefined;
  // A pattern with a slash is relative to the directory of the file, any other matches at every depth.
  const isAnchored = text.includes('/');
  const source = sourceOf(text.startsWith('/') ? text.slice(1) : text);
  if (source === undefined) return undefined;
  try {
    return { isNegated, directoriesOnly, pattern: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`, 's') };
  } catch {
    return undefined;
  }
}

/** A backslash keeps a space at the end. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    const isEscaped = line[at] === '\\' && at + 1 < line.length;
    if (isEscaped) at++;
    if (isEscaped || line[at] !== ' ') end = at + 1;
  }
  return line.slice(0, end);
}

/** Translates a pattern to a regular expression; undefined for one that git does not accept. */
function sourceOf(pattern: string): string | undefined {
  let source = '';
  for (let at = 0; at < pattern.length;) {
    const character = pattern[at]!;
    if (character === '*') {
      const end = endOf(pattern, at);
      const isWholePart = end - at === 2 && (at === 0 || pattern[at - 1] === '/');
      if (isWholePart && pattern[end] === '/') {
        source += '(?:.*/)?';
        at = end + 1;
      } else {
        source += isWholePart && end === pattern.length ? (at === 0 ? '.*' : '.+') : '[^/]*';
        at = end;
      }
    } else if (character === '[') {
      const set = setAt(pattern, at);
      if (set === undefined) return undefined;
      source += set.source;
      at = set.end;
    } else if (character === '\\') {
      if (at + 1 === pattern.length) return undefined;
      source += literal(pattern[at + 1]!);
      at += 2;
    } else {
      source += character === '?' ? '[^/]' : literal(character);
      at++;
    }
  }
  return source;
}

function endOf(pattern: string, start: number): number {
  let end = start;
  while (pattern[end] === '*') end++;
  return end;
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
  space: '\\s',
};

/** Reads a set of characters such as `[a-z]` or `[!0]`. No set matches a slash. */
function setAt(pattern: string, start: number): { source: string; end: number } | undefined {
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  let members = '';
  /** What a range may begin with. */
  let previous: string | undefined;
  for (let at = first; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === ']' && at > first)
      return { source: isNegated ? `[^/${members}]` : `(?!/)[${members}]`, end: at + 1 };
    const named = /^\[:([a-z]+):\]/.exec(pattern.slice(at));
    if (named !== null) {
      const members_ = CLASSES[named[1]!];
      if (members_ === undefined) return undefined;
      members += members_;
      previous = undefined;
      at += named[0].length - 1;
      continue;
    }
    const isRange = character === '-' && previous !== undefined && ![undefined, ']'].includes(pattern[at + 1]);
    if (isRange) at++;
    if (pattern[at] === '\\') at++;
    const member = pattern[at];
    if (member === undefined) return undefined;
    if (!isRange) members += memberOf(member);
    // A range whose end comes before its beginning has no characters.
    else if (previous! <= member) members += `${memberOf(previous!)}-${memberOf(member)}`;
    previous = isRange ? undefined : member;
  }
  return undefined;
}

const memberOf = (character: string): string => (character === '-' ? '\\-' : literal(character));
