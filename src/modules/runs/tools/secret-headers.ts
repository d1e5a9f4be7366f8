const SECRET = /\{\{\s*secret:([A-Z][A-Z0-9_]{0,63})\s*\}\}/g;
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** What belongs to the connection and not to the request, and what would contradict the address or the body. */
const RESERVED = new Set(
  'host connection content-length transfer-encoding upgrade te trailer expect keep-alive accept-encoding'.split(' '),
);

export const isSettableHeader = (name: string): boolean =>
  NAME.test(name) && !RESERVED.has(name.toLowerCase()) && !/^proxy-/i.test(name);

/** Returns the names of the secrets in `text with {{secret:NAME}}`; undefined when other braces are in it. */
export function secretNamesOf(template: string): readonly string[] | undefined {
  const names = [...template.matchAll(SECRET)].map(([, name]) => name!);
  const rest = template.replace(SECRET, '');
  return rest.includes('{{') || rest.includes('}}') ? undefined : names;
}

export type FilledHeaders =
  | { readonly headers: Readonly<Record<string, string>> }
  /** The name of a secret that the agent does not have, or that no header can hold. */
  | { readonly missing: string };

/** Fills the secrets of an agent into templates of headers. */
export async function fillHeaders(
  templates: Readonly<Record<string, string>>,
  secret: (name: string) => Promise<string | undefined>,
): Promise<FilledHeaders> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const values = new Map<string, string>();
    for (const each of secretNamesOf(template) ?? []) {
      const value = await secret(each);
      if (value === undefined || !/^[\t\x20-\x7e]*$/.test(value)) return { missing: each };
      values.set(each, value);
    }
    headers[name] = template.replace(SECRET, (_, each: string) => values.get(each)!);
  }
  return { headers };
}

export const missingSecret = (name: string): { kind: 'failed'; code: string; message: string } => ({
  kind: 'failed',
  code: 'secret_missing',
  message: `The agent has no secret ${name} that a header can hold. A person has to set it.`,
});
