import { ClientMetadataInvalid } from '../oauth.errors.js';

const MAX_NAME = 100;
const MAX_REDIRECTS = 10;
const MAX_URI = 500;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that a browser runs or opens by itself, and those that need no program of the person. */
const NO_PROGRAM =
  /^(?:javascript|data|vbscript|file|blob|about|filesystem|view-source|https?|ftps?|wss?|mailto|tel):$/;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** What the service believes of a client. */
export interface OauthClient {
  readonly id: string;
  /** `metadata`: its id is the address of a document that was fetched. `registration`: it described itself. */
  readonly way: 'metadata' | 'registration';
  readonly name: string;
  /** Where its metadata came from. Undefined for a client that described itself. */
  readonly host: string | undefined;
  readonly redirectUris: readonly string[];
}

/** The part of a client's metadata that the service keeps. */
export interface ClientDescription {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/**
 * Reads the metadata of a client. All clients are public: they prove themselves with PKCE alone, also those that ask
 * for a secret.
 *
 * @throws {ClientMetadataInvalid} `invalid_client_metadata`
 */
export function describedBy(metadata: Readonly<Record<string, unknown>>): ClientDescription {
  const { redirect_uris: uris, client_name: name, response_types: responses, grant_types: grants } = metadata;
  if (!isListOfText(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS)
    throw new ClientMetadataInvalid(`redirect_uris must be a list of 1 to ${MAX_REDIRECTS} URIs.`);
  if (!uris.every((uri) => isRedirectUri(uri)))
    throw new ClientMetadataInvalid(
      'A redirect URI must use https, http on a loopback address, or the scheme of a program, without a fragment.',
    );
  if (responses !== undefined && !(isListOfText(responses) && responses.includes('code')))
    throw new ClientMetadataInvalid('response_types must contain code.');
  if (grants !== undefined && !(isListOfText(grants) && grants.includes('authorization_code')))
    throw new ClientMetadataInvalid('grant_types must contain authorization_code.');
  return { name: shownName(name), redirectUris: [...new Set(uris)] };
}

/** Where a redirect leads, as a page shows it. */
export function redirectPlaceOf(uri: string): { readonly host: string; readonly isLoopback: boolean } {
  const url = new URL(uri);
  if (url.protocol === 'https:' || url.protocol === 'http:')
    return { host: url.hostname, isLoopback: LOOPBACK.has(url.hostname) };
  return { host: `a program for ${url.protocol}`, isLoopback: false };
}

/** The source of the redirect for the policy `form-action` of a page. */
export function formTargetOf(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri);
  if (protocol === 'http:') return `http://${hostname}:*`;
  return protocol === 'https:' ? origin : protocol;
}

/** True when every redirect leads to the machine of the person or to a program there. */
export const isOnMachine = ({ redirectUris }: Pick<OauthClient, 'redirectUris'>): boolean =>
  redirectUris.every((uri) => !uri.startsWith('https:'));

function isRedirectUri(uri: string): boolean {
  if (uri.length > MAX_URI || !/^[\x21-\x7e]+$/.test(uri) || uri.includes('#') || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return hostname.includes('.') && !LOOPBACK.has(hostname);
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return !NO_PROGRAM.test(protocol);
}

/** Invisible characters and those that turn the direction of text would make one name look like another. */
function shownName(name: unknown): string {
  const text = typeof name === 'string' ? name.normalize('NFKC').replace(UNPRINTABLE, '').trim() : '';
  return text === '' ? 'An application without a name' : text.slice(0, MAX_NAME).toWellFormed();
}

const isListOfText = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
