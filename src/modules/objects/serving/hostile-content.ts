/** Types that a browser shows without running anything of theirs. SVG is an image that can have scripts. */
const INERT = /^(?:image\/(?!svg\+xml$)[a-z0-9.+-]+|(?:audio|video|font)\/[a-z0-9.+-]+|application\/pdf)$/;

/** Types that a browser can treat as a document. */
const DOCUMENT = /^(?:text\/html|text\/xml|application\/xml|image\/svg\+xml|[a-z0-9.+-]+\/[a-z0-9.-]*\+?xml)$/;

const SANDBOX =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'";

const MAX_LENGTH = 200;

/** What is sent with content that a tenant chose, so that it runs nothing anywhere. */
export interface ContentShield {
  readonly headers: readonly (readonly [string, string])[];
  /** Replaces the tenant's own disposition: the browser must save it and not show it. */
  readonly mustBeSaved: boolean;
}

/**
 * Returns the headers that take the power from content: it is what its type says, and a document has neither scripts,
 * forms nor an origin. Documents of private buckets are only saved, because links to them are made by people whom the
 * reader trusts.
 */
export function shieldOf(contentType: string, visibility: 'private' | 'public'): ContentShield {
  const type = typeOf(contentType);
  const headers: (readonly [string, string])[] = [['X-Content-Type-Options', 'nosniff']];
  if (!INERT.test(type)) headers.push(['Content-Security-Policy', SANDBOX]);
  return { headers, mustBeSaved: visibility === 'private' && DOCUMENT.test(type) };
}

/** A type that is no type is none of the inert ones. */
const typeOf = (contentType: string): string => {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase().slice(0, MAX_LENGTH);
};

/** `attachment`, with the name of the file where the tenant gave one. */
export const savedAs = (disposition: string | undefined): string =>
  disposition === undefined || !disposition.includes(';')
    ? 'attachment'
    : `attachment${disposition.slice(disposition.indexOf(';'))}`;
