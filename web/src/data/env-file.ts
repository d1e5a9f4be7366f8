interface FileVariable {
  readonly name: string;
  readonly value: string;
}

const NAME = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/;

/**
 * The variables of a text in the format of `.env` files, read as dotenv does: quoted values may span lines, comments
 * are left out, and the last of several values counts. `faults` has the numbers of the lines that are none of these.
 */
export function readEnvFile(text: string): { readonly variables: FileVariable[]; readonly faults: number[] } {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replace(/^\uFEFF/, '')
    .split('\n');
  const found = new Map<string, string>();
  const faults: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const start = NAME.exec(line);
    if (start === null) {
      if (!/^\s*(#|$)/.test(line)) faults.push(at + 1);
      continue;
    }
    const rest = line.slice(start[0].length);
    const quote = /^["'`]/.exec(rest)?.[0];
    const end = quote === undefined ? undefined : endOfQuote(lines, at, line.length - rest.length + 1, quote);
    if (quote === undefined || end === undefined) {
      found.set(start[1]!, rest.replace(/(^|\s)#.*$/, '').trim());
      continue;
    }
    found.set(start[1]!, quote === '"' ? end.value.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : end.value);
    at = end.line;
  }
  return { variables: [...found].map(([name, value]) => ({ name, value })), faults };
}

/** Where the quote ends, and what is between; undefined where it does not end, so that it belongs to the value. */
function endOfQuote(
  lines: readonly string[],
  first: number,
  from: number,
  quote: string,
): { readonly line: number; readonly value: string } | undefined {
  const parts: string[] = [];
  for (let line = first; line < lines.length; line++) {
    const text = line === first ? lines[line]!.slice(from) : lines[line]!;
    const end = text.indexOf(quote);
    if (end >= 0) return { line, value: [...parts, text.slice(0, end)].join('\n') };
    parts.push(text);
  }
  return undefined;
}
