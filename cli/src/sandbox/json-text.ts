const MOST_INDENTED = 100_000;
/** Each level indents all that it contains. */
const MOST_LEVELS = 32;

/**
 * Returns JSON with a line for each value, and the values themselves unchanged: numbers of a program may have more
 * digits than ours can. What is too long or too deep to be read, or is no JSON, stays as it is.
 */
export function indentedJson(json: string): string {
  if (json.length > MOST_INDENTED || !isJson(json)) return json;
  const parts: string[] = [];
  let level = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]!;
    if (sign === '"') {
      const end = endOfText(json, at);
      parts.push(json.slice(at, end + 1));
      at = end;
    } else if (sign === '{' || sign === '[') {
      const closing = sign === '{' ? '}' : ']';
      const next = at + 1 + json.slice(at + 1).search(/\S/);
      if (json[next] === closing) {
        parts.push(sign + closing);
        at = next;
      } else {
        if (++level > MOST_LEVELS) return json;
        parts.push(sign, lineAt(level));
      }
    } else if (sign === '}' || sign === ']') parts.push(lineAt(--level), sign);
    else if (sign === ',') parts.push(sign, lineAt(level));
    else if (sign === ':') parts.push(': ');
    else if (sign.trim() !== '') parts.push(sign);
  }
  return parts.join('');
}

const lineAt = (level: number): string => `\n${'  '.repeat(level)}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns where the quote is that ends the text. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
