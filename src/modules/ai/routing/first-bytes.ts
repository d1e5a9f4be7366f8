import { Readable } from 'node:stream';
import { type Fields, fieldsOf } from '../routers/upstream-json.js';

/** An answer with the status 200 that is an error. */
interface ErrorUnder200 {
  readonly status: number | undefined;
  readonly error: Fields;
}

export interface FirstBytes {
  /** The body with all of its bytes, those that were looked at included. */
  readonly body: Readable;
  readonly error: ErrorUnder200 | undefined;
}

/** More than this before the first frame is passed on without being understood. */
const MAX_LOOKED_AT_BYTES = 65_536;

/**
 * Reads the beginning of a body until it shows whether it is an error, at most until `until` is aborted: of a stream,
 * the first frame that is no comment; of JSON, the first fields. The bytes stay as they are.
 *
 * @throws {Error} when the body breaks or ends before that.
 */
export async function lookAtFirstBytes(
  body: Readable,
  { isStream, until }: { readonly isStream: boolean; readonly until: AbortSignal },
): Promise<FirstBytes> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = body.read() as Buffer | null;
    if (chunk !== null) {
      kept.push(chunk);
      bytes += chunk.length;
      const error = judge(Buffer.concat(kept), isStream);
      if (error !== undefined || bytes >= MAX_LOOKED_AT_BYTES)
        return { body: whole(body, kept), error: error || undefined };
      continue;
    }
    if (body.readableEnded || until.aborted) break;
    await readableOrOver(body, until);
  }
  if (!body.readableEnded) return { body: whole(body, kept), error: undefined };
  const text = Buffer.concat(kept);
  if (text.toString().trim() === '') throw new Error('The router ended its answer before the first byte.');
  return { body: Readable.from(kept, { objectMode: false }), error: judge(text, isStream, true) || undefined };
}

/** Puts back what was read, which is possible because a body does not end before all of it was read. */
function whole(body: Readable, kept: readonly Buffer[]): Readable {
  if (kept.length > 0) body.unshift(Buffer.concat(kept));
  return body;
}

/** Resolves when there is something to read, the body has ended or time is up. Rejects when the body broke. */
function readableOrOver(body: Readable, until: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (work: () => void) => (): void => {
      body.off('readable', onReadable).off('end', onReadable).off('error', onError).off('close', onClose);
      until.removeEventListener('abort', onReadable);
      work();
    };
    const onReadable = end(resolve);
    const onClose = end(() => {
      reject(body.errored ?? new Error('The router closed the connection before the first byte.'));
    });
    const onError = (error: Error): void => {
      end(() => {
        reject(error);
      })();
    };
    if (body.errored != null) {
      reject(body.errored);
      return;
    }
    if (body.destroyed) {
      reject(new Error('The router closed the connection before the first byte.'));
      return;
    }
    body.on('readable', onReadable).on('end', onReadable).on('error', onError).on('close', onClose);
    until.addEventListener('abort', onReadable);
  });
}

/** Returns an error, false when there is none, and undefined when the bytes do not show it yet. */
function judge(bytes: Buffer, isStream: boolean, isAll = false): ErrorUnder200 | false | undefined {
  const text = bytes.toString();
  return isStream ? judgeStream(text, isAll) : judgeJson(text, isAll);
}

function judgeStream(text: string, isAll: boolean): ErrorUnder200 | false | undefined {
  const frames = text.split(/\r?\n\r?\n/);
  // The last one may not be complete.
  const complete = isAll ? frames : frames.slice(0, -1);
  for (const frame of complete) {
    const data = frame
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trim())
      .join('\n');
    if (data !== '') return errorIn(data) ?? false;
  }
  // A server that ignores `stream` or fails answers with JSON.
  return isAll && complete.length > 0 && text.trimStart().startsWith('{') ? (errorIn(text) ?? false) : undefined;
}

/** Routers begin a body of JSON with spaces while they wait, and an error is its first field. */
function judgeJson(text: string, isAll: boolean): ErrorUnder200 | false | undefined {
  const beginning = text.trimStart();
  if (!isAll && beginning.length < 48 && !beginning.includes('}')) return undefined;
  if (!/^\{\s*(?:"type"\s*:\s*"error"\s*,\s*)?"error"\s*:\s*[{"]/.test(beginning)) return false;
  return errorIn(text) ?? (isAll ? false : undefined);
}

function errorIn(json: string): ErrorUnder200 | undefined {
  let parsed: Fields;
  try {
    parsed = fieldsOf(JSON.parse(json));
  } catch {
    return undefined;
  }
  // The Responses API has the fields of an error in the event itself, or in the response that failed.
  const { type, response } = parsed;
  const error =
    parsed['error'] ?? (type === 'error' ? parsed : type === 'response.failed' ? fieldsOf(response)['error'] : null);
  if (error === undefined || error === null) return undefined;
  const fields = typeof error === 'string' ? { message: error } : fieldsOf(error);
  const { code } = fields;
  return { status: typeof code === 'number' && code >= 400 && code < 600 ? code : undefined, error: fields };
}
