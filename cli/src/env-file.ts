import type { EnvVariable } from '@service/client';

/** Values with other characters are quoted. */
const PLAIN = /^[\w./:@%+,=-]*$/;
const QUOTES = ["'", '"', '`'] as const;

/** The variables of a file, and those that it cannot hold. */
export interface EnvFile {
  readonly text: string;
  readonly written: readonly string[];
  /** Secrets, whose values no one can read. */
  readonly secrets: readonly string[];
  /** Variables whose values contain every kind of quotation mark, for which the format has no escape. */
  readonly unwritable: readonly string[];
}

/** Writes variables in the format that dotenv and `node --env-file` read alike, sorted by name. */
export function envFileOf(variables: readonly EnvVariable[], heading: string): EnvFile {
  const sorted = [...variables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = [`# ${heading}`];
  const names = { written: [] as string[], secrets: [] as string[], unwritable: [] as string[] };
  for (const { name, value } of sorted) {
    const quoted = value === undefined ? undefined : quote(value);
    if (quoted !== undefined) {
      lines.push(`${name}=${quoted}`);
      names.written.push(name);
    } else if (value === undefined) {
      lines.push(`# ${name}= (a secret, which cannot be read)`);
      names.secrets.push(name);
    } else {
      lines.push(`# ${name}= (a value that this format cannot hold)`);
      names.unwritable.push(name);
    }
  }
  return { text: `${lines.join('\n')}\n`, ...names };
}

/** Within double quotes, \n and \r would be read as line breaks. */
function quote(value: string): string | undefined {
  if (PLAIN.test(value)) return value;
  const mark = QUOTES.find((each) => !value.includes(each) && !(each === '"' && /\\[nr]/.test(value)));
  return mark === undefined || value.includes('\r') ? undefined : `${mark}${value}${mark}`;
}
