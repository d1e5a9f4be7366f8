const MAX_REDIRECTS = 10;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Page {
  readonly html: string;
  /** The first form of the page that is sent by POST. */
  readonly form: Form | undefined;
}

/** A browser at the pages of one identity provider: it keeps cookies, follows redirects and fills in forms. */
export class SamlBrowser {
  private readonly cookies = new Map<string, string>();

  /** @param origin of the provider. A redirect to any other is refused. */
  constructor(private readonly origin: string) {}

  open(url: string): Promise<Page> {
    return this.send(url);
  }

  submit({ action, fields }: Form, filledIn: Readonly<Record<string, string>>): Promise<Page> {
    return this.send(action, new URLSearchParams({ ...fields, ...filledIn }));
  }

  private async send(url: string, form?: URLSearchParams): Promise<Page> {
    let body = form;
    let at = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (new URL(at).origin !== this.origin) throw new Error(`The provider leads away, to ${at}`);
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      for (const line of response.headers.getSetCookie()) this.keep(line);
      const html = await response.text();
      const location = response.headers.get('location');
      if (location === null) return { html, form: formOf(html, at) };
      at = new URL(location, at).href;
      body = undefined;
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects, the last one to ${at}`);
  }

  private keep(line: string): void {
    const pair = line.split(';')[0]!;
    const separator = pair.indexOf('=');
    this.cookies.set(pair.slice(0, separator), pair.slice(separator + 1));
  }
}

function formOf(html: string, url: string): Form | undefined {
  for (const [, attributes = '', content = ''] of html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)) {
    const { method, action = '' } = attributesOf(attributes);
    if (method?.toLowerCase() !== 'post') continue;
    const inputs = [...content.matchAll(/<input\b([^>]*)>/gi)].map(([, input]) => attributesOf(input!));
    const fields = inputs.flatMap(({ name, type, value = '' }) =>
      name === undefined || type === 'checkbox' ? [] : [[name, value] as const],
    );
    return { action: new URL(action, url).href, fields: Object.fromEntries(fields) };
  }
  return undefined;
}

const attributesOf = (tag: string): Record<string, string | undefined> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)].map(([, name, value]) => [name!.toLowerCase(), decode(value!)]),
  );

const decode = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (entity, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name!] ?? entity;
  });
