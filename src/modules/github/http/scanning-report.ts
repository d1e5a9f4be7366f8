import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { MalformedJson } from '../../../platform/http/http.errors.js';
import { nestsDeeperThan } from '../../../platform/http/json-depth.js';
import { maskedPath } from '../../../platform/http/masked-path.js';
import type { ScanningMatch } from '../scanning/secret-scanning.service.js';

const MAX_MATCHES = 10_000;
const MAX_DEPTH = 8;
const MAX_FAULTS = 20;
const MAX_URL_LENGTH = 1_000;
const SOURCE = /^\w{1,50}$/;

/**
 * Reads the body of a signed message. What is not needed is not checked, so that a new field of the scanner keeps no
 * token alive.
 *
 * @throws {MalformedJson} `malformed_json`
 * @throws {RequestInvalid} `invalid_request`
 */
export function matchesIn(body: Buffer): ScanningMatch[] {
  const entries = parsed(body);
  if (!Array.isArray(entries)) throw new RequestInvalid([fault('', 'is_array', 'The body must be a JSON array.')]);
  if (entries.length > MAX_MATCHES)
    throw new RequestInvalid([fault('', 'array_max_size', `The body must have at most ${MAX_MATCHES} entries.`)]);
  const faults = entries.flatMap((entry, index) => faultsOf(entry, index));
  if (faults.length > 0) throw new RequestInvalid(faults.slice(0, MAX_FAULTS));
  return (entries as { token: string; type: string; url?: unknown; source?: unknown }[]).map(
    ({ token, type, url, source }) => ({ token, type, place: { url: urlOf(url), source: sourceOf(source) } }),
  );
}

function parsed(body: Buffer): unknown {
  if (nestsDeeperThan(body, MAX_DEPTH)) throw new MalformedJson(`it nests deeper than ${MAX_DEPTH} levels.`);
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    throw new MalformedJson('it cannot be parsed.');
  }
}

function faultsOf(entry: unknown, index: number): FieldFault[] {
  const fields = (entry ?? {}) as { readonly token?: unknown; readonly type?: unknown };
  return (['token', 'type'] as const)
    .filter((name) => typeof fields[name] !== 'string')
    .map((name) => fault(`[${index}].${name}`, 'is_string', `${name} must be a string`));
}

/** The address may contain what was found, as in the name of a file. */
const urlOf = (url: unknown): string | undefined =>
  typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
    ? maskedPath(new URL(url).href).slice(0, MAX_URL_LENGTH)
    : undefined;

const sourceOf = (source: unknown): string =>
  typeof source === 'string' && SOURCE.test(source) ? source.toLowerCase() : 'unknown';

const fault = (path: string, code: string, message: string): FieldFault => ({ path, in: 'body', code, message });
