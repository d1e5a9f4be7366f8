import type { OutgoingHttpHeaders } from 'node:http';
import { type FieldFault, RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { isBase64 } from './image-results.js';
import type { CompiledTool } from './tool-schemas.js';

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?[\w.+-]{1,30}=[\w.+-]{1,60}){0,3}$/;
/** A caller can send a hundred thousand arguments, and each fault lists those that exist. */
const MAX_FAULTS = 10;

/** The request that the arguments of a tool stand for. */
export interface ToolRequest {
  readonly path: string;
  readonly body: Buffer | undefined;
  readonly headers: OutgoingHttpHeaders;
  /** The arguments that the service reads itself. */
  readonly own: Readonly<Record<string, unknown>>;
  /** At which byte of the answer the tool begins. */
  readonly begin: number;
}

/**
 * Sends each argument to where the route reads it. Whether its value is valid is for the route to say.
 *
 * @throws {RequestInvalid} `invalid_request` for an argument that the tool does not have, for a missing or unusable
 * part of the path, and for an object where the route reads a text.
 */
export function requestOf(compiled: CompiledTool, given: Readonly<Record<string, unknown>>): ToolRequest {
  const { tool, places, listed } = compiled;
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(listed.inputSchema.properties, name));
  if (unknown.length > 0)
    throw new RequestInvalid(unknown.slice(0, MAX_FAULTS).map((name) => unknownArgument(name, compiled)));

  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries({ ...given, ...tool.sends })) {
    const place = places.get(name);
    if (place === 'query') appendTo(query, name, value);
    else if (place === 'body') body[name] = value;
    else if (place === 'tool') own[name] = value;
  }
  const path = tool.path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, given[name]));
  const search = query.toString();
  const begin = beginOf(tool, own);
  const sent = bodyOf(compiled, body, own);
  return {
    path: search === '' ? path : `${path}?${search}`,
    body: sent.body,
    headers: { ...sent.headers, ...(begin === 0 || tool.answers === 'file' ? {} : { range: `bytes=${begin}-` }) },
    own,
    begin,
  };
}

type SentBody = Pick<ToolRequest, 'body' | 'headers'>;

function bodyOf({ tool, hasBody }: CompiledTool, body: object, own: ToolRequest['own']): SentBody {
  if (tool.sendsText !== undefined) return textOf(tool.sendsText, own);
  if (tool.sendsBytes !== undefined) return bytesOf(tool.sendsBytes, own);
  return jsonOf(hasBody ? body : undefined);
}

const jsonOf = (body: object | undefined): SentBody =>
  body === undefined
    ? { body, headers: {} }
    : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } };

/** @throws {RequestInvalid} `invalid_request` for a text that is none, and for a media type with other characters. */
function textOf(
  { text: textName, mediaType: typeName }: NonNullable<CompiledTool['tool']['sendsText']>,
  { [textName]: text, [typeName]: mediaType = 'text/plain; charset=utf-8' }: ToolRequest['own'],
): SentBody {
  if (typeof text !== 'string') throw invalid(textName, 'a string');
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType)) throw invalid(typeName, 'a media type');
  return { body: Buffer.from(text), headers: { 'content-type': mediaType } };
}

/** @throws {RequestInvalid} `invalid_request` for what is no text, and for a text that is not written as it says. */
function bytesOf(
  { content: contentName, encoding: encodingName }: NonNullable<CompiledTool['tool']['sendsBytes']>,
  { [contentName]: content, [encodingName]: encoding = 'text' }: ToolRequest['own'],
): SentBody {
  if (typeof content !== 'string') throw invalid(contentName, 'a string');
  if (encoding !== 'text' && encoding !== 'base64') throw invalid(encodingName, 'text or base64');
  if (encoding === 'base64' && !isBase64(content)) throw invalid(contentName, 'base64, with its padding');
  const body = Buffer.from(content, encoding === 'text' ? 'utf8' : 'base64');
  return { body, headers: { 'content-type': 'application/octet-stream' } };
}

/** @throws {RequestInvalid} `invalid_request` */
function beginOf({ beginsAt }: CompiledTool['tool'], own: ToolRequest['own']): number {
  const from = beginsAt === undefined ? 0 : (own[beginsAt] ?? 0);
  if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0)
    throw invalid(beginsAt!, 'an integer from 0 on');
  return from;
}

const invalid = (path: string, expected: string): RequestInvalid =>
  new RequestInvalid([{ path, in: 'body', code: 'invalid', message: `${path} must be ${expected}.`, expected }]);

function appendTo(query: URLSearchParams, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
    // Its text would be another value than the one that was meant.
    if (typeof each === 'object') throw invalid(name, 'a string, a number or a boolean');
    query.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
}

/** A dot segment would name another route. */
function segmentOf(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..' || text.length > 1_024)
    throw new RequestInvalid([
      { path: name, in: 'path', code: 'is_string', message: `${name} must be given.`, expected: 'string' },
    ]);
  return encodeURIComponent(text.toWellFormed());
}

const unknownArgument = (name: string, { listed }: CompiledTool): FieldFault => ({
  path: name.slice(0, 100),
  in: 'body',
  code: 'unknown_argument',
  message: `${listed.name} has no argument ${name.slice(0, 100)}.`,
  expected: Object.keys(listed.inputSchema.properties),
});
