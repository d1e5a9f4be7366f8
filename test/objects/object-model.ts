import { createHash } from 'node:crypto';

/** Takes the contents of these tests, which are ASCII. */
export const md5Of = (content: string): string => createHash('md5').update(content).digest('hex');

const etagOfParts = (etags: readonly string[]): string =>
  `${createHash('md5')
    .update(Buffer.from(etags.join(''), 'hex'))
    .digest('hex')}-${etags.length}`;

/** S3 refuses smaller parts, but for the last. */
export const MIN_PART_BYTES = 5 * 1_048_576;

export type Face = 's3' | 'json';
export type Condition = { readonly ifMatch: string } | { readonly ifNoneMatch: true } | undefined;
export type Range = readonly [first: number, last: number] | undefined;
export type NamedPart = readonly [number: number, etag: string];
/** How a completion lists the parts that were sent. */
type Listed = 'all' | 'reversed' | 'first' | 'none' | 'another etag' | 'one more';

/** What a caller does. `upload` is the position of an upload among those that were begun. */
export type Act =
  | { readonly act: 'put'; face: Face; key: string; body: string; condition: Condition }
  | { readonly act: 'get'; face: Face; key: string; range: Range }
  | { readonly act: 'copy'; from: string; to: string }
  | { readonly act: 'delete'; face: Face; key: string }
  | { readonly act: 'delete many'; keys: readonly string[] }
  | { readonly act: 'list'; face: Face; prefix: string; delimiter: string; limit: number }
  | { readonly act: 'read and overwrite'; key: string; body: string }
  | { readonly act: 'begin'; key: string; announced: number | null }
  | { readonly act: 'part'; upload: number; number: number; body: string; isByLink: boolean }
  | { readonly act: 'copy part'; upload: number; number: number; from: string }
  | { readonly act: 'complete'; face: Face; upload: number; listed: Listed }
  | { readonly act: 'abort'; face: Face; upload: number };

interface ModelObject {
  readonly content: string;
  readonly etag: string;
  /** The upload that it was completed from. */
  readonly upload?: ModelUpload;
}

interface ModelUpload {
  readonly key: string;
  /** The size that was announced; null for an upload that a program for S3 began. */
  readonly announced: number | null;
  readonly parts: Map<number, string>;
  isOver: boolean;
}

/** What a bucket should be: maps in memory, and the rules of S3. Answers are `ok`, contents, or a code of S3. */
export class ObjectModel {
  readonly objects: Map<string, ModelObject>;
  readonly uploads: ModelUpload[] = [];

  constructor(objects: ReadonlyMap<string, ModelObject> = new Map()) {
    this.objects = new Map(objects);
  }

  answer(act: Act): unknown {
    switch (act.act) {
      case 'put':
        return this.put(act.key, act.body, act.condition);
      case 'get':
        return this.get(act.key, act.range);
      case 'copy':
        return this.copy(act.from, act.to);
      case 'delete':
        this.objects.delete(act.key);
        return 'ok';
      case 'delete many':
        for (const key of act.keys) this.objects.delete(key);
        return 'ok';
      case 'list':
        return this.list(act.prefix, act.delimiter);
      case 'read and overwrite': {
        const read = this.get(act.key, undefined);
        if (this.objects.has(act.key)) this.put(act.key, act.body, undefined);
        return read;
      }
      case 'begin':
        this.uploads.push({ key: act.key, announced: act.announced, parts: new Map(), isOver: false });
        return 'ok';
      case 'part':
        return this.part(act.upload, act.number, act.body);
      case 'copy part':
        return this.copyPart(act);
      case 'complete':
        return this.complete(act);
      case 'abort':
        return this.abort(act.upload);
    }
  }

  /** Returns the parts that a completion lists. */
  listedParts(upload: number, listed: Listed): NamedPart[] {
    const parts = [...(this.uploads[upload]?.parts ?? [])]
      .sort(([one], [other]) => one - other)
      .map(([number, content]): NamedPart => [number, md5Of(content)]);
    switch (listed) {
      case 'all':
        return parts;
      case 'reversed':
        return parts.reverse();
      case 'first':
        return parts.slice(0, 1);
      case 'none':
        return [];
      case 'another etag':
        return parts.map(([number], index) => [number, index === 0 ? '0'.repeat(32) : parts[index]![1]]);
      case 'one more':
        return [...parts, [9, md5Of('')]];
    }
  }

  put(key: string, content: string, condition: Condition): string {
    const current = this.objects.get(key);
    if (condition !== undefined) {
      const holds = 'ifMatch' in condition ? current?.etag === md5Of(condition.ifMatch) : current === undefined;
      if (!holds) return 'PreconditionFailed';
    }
    this.objects.set(key, { content, etag: md5Of(content) });
    return 'ok';
  }

  get(key: string, range: Range): string {
    const object = this.objects.get(key);
    if (object === undefined) return 'NoSuchKey';
    if (range === undefined) return seen(object.content, object.etag);
    const [first, last] = range;
    return first >= object.content.length ? 'InvalidRange' : seen(object.content.slice(first, last + 1), object.etag);
  }

  list(prefix: string, delimiter: string): string[] {
    const names = new Set<string>();
    for (const [key, { etag }] of this.objects) {
      if (!key.startsWith(prefix)) continue;
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      names.add(at === -1 ? listedObject(key, etag) : key.slice(0, at + delimiter.length));
    }
    return byBytes([...names]);
  }

  private copy(from: string, to: string): string {
    const source = this.objects.get(from);
    if (source === undefined) return 'NoSuchKey';
    // A copy onto itself changes what is said about an object, and none of its bytes.
    if (from !== to) this.put(to, source.content, undefined);
    return 'ok';
  }

  private part(index: number, number: number, content: string): string {
    const upload = this.uploads[index];
    if (upload === undefined || upload.isOver) return 'NoSuchUpload';
    upload.parts.set(number, content);
    return 'ok';
  }

  private copyPart({ upload, number, from }: Extract<Act, { act: 'copy part' }>): string {
    if (this.uploads[upload]?.isOver !== false) return 'NoSuchUpload';
    const source = this.objects.get(from);
    return source === undefined ? 'NoSuchKey' : this.part(upload, number, source.content);
  }

  private complete({ upload: index, face, listed }: Extract<Act, { act: 'complete' }>): string {
    const upload = this.uploads[index];
    if (face === 'json') return this.completeAnnounced(upload);
    const named = this.listedParts(index, listed);
    if (named.length === 0) return 'MalformedXML';
    if (upload === undefined) return 'NoSuchUpload';
    const etag = etagOfParts(named.map(([, each]) => each));
    if (upload.isOver) {
      const object = this.objects.get(upload.key);
      return object?.upload === upload && object.etag === etag ? 'ok' : 'NoSuchUpload';
    }
    const refusal = refusalOf(named, upload.parts);
    return refusal ?? this.makeObject(upload, named);
  }

  private completeAnnounced(upload: ModelUpload | undefined): string {
    if (upload === undefined || upload.announced === null) return 'NoSuchUpload';
    if (upload.isOver) return this.objects.get(upload.key)?.upload === upload ? 'ok' : 'NoSuchUpload';
    // What the tests announce fits into one part.
    const content = upload.parts.get(1);
    if (content?.length !== upload.announced) return 'InvalidPart';
    return this.makeObject(upload, [[1, md5Of(content)]]);
  }

  private makeObject(upload: ModelUpload, named: readonly NamedPart[]): string {
    const content = named.map(([number]) => upload.parts.get(number)!).join('');
    this.objects.set(upload.key, { content, etag: etagOfParts(named.map(([, etag]) => etag)), upload });
    upload.isOver = true;
    return 'ok';
  }

  private abort(index: number): string {
    const upload = this.uploads[index];
    if (upload === undefined || upload.isOver) return 'NoSuchUpload';
    upload.isOver = true;
    return 'ok';
  }
}

function refusalOf(named: readonly NamedPart[], parts: ReadonlyMap<number, string>): string | undefined {
  if (named.some(([number], index) => index > 0 && named[index - 1]![0] >= number)) return 'InvalidPartOrder';
  for (const [index, [number, etag]] of named.entries()) {
    const content = parts.get(number);
    if (content === undefined || md5Of(content) !== etag) return 'InvalidPart';
    if (content.length < MIN_PART_BYTES && index < named.length - 1) return 'EntityTooSmall';
  }
  return undefined;
}

/** What a reader sees of an object, in a form that can be compared and printed. */
export const seen = (content: string, etag: string): string => `${content.length} ${md5Of(content)} ${etag}`;

/** An object as a list shows it. No key has NUL, so that these are in the order of their keys. */
export const listedObject = (key: string, etag: string): string => `${key}\0${etag}`;

/** Sorts by the bytes of UTF-8, which differs from JavaScript's own order. */
export const byBytes = (names: readonly string[]): string[] =>
  [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

/** A step of an act that is one moment for everyone else. It returns an answer when the act is over. */
type Step = (model: ObjectModel, kept: { content?: string }) => unknown;

/** A copy reads and then writes; all other acts of {@link isSerial} are one moment. */
function stepsOf(act: Act): readonly Step[] {
  if (act.act !== 'copy') return [(model) => model.answer(act)];
  return [
    (model, kept) => {
      const source = model.objects.get(act.from);
      if (source === undefined) return 'NoSuchKey';
      kept.content = source.content;
      return undefined;
    },
    (model, { content }) => model.put(act.to, content!, undefined),
  ];
}

/** What one client did, act by act, and what it was answered. */
export type Lane = readonly { readonly act: Act; readonly answer: unknown }[];

/** True when the acts, one after another in some order that keeps each client's, give these answers and this list. */
export function isSerial(begun: ObjectModel, lanes: readonly Lane[], end: readonly string[]): boolean {
  const walk = (model: ObjectModel, at: readonly Position[]): boolean => {
    if (at.every(({ index }, lane) => index === lanes[lane]!.length))
      return JSON.stringify(model.list('', '')) === JSON.stringify(end);
    return at.some(({ index, step, kept }, lane) => {
      const each = lanes[lane]![index];
      if (each === undefined) return false;
      const [next, memory] = [new ObjectModel(model.objects), { ...kept }];
      const answer = stepsOf(each.act)[step]!(next, memory);
      if (answer !== undefined && JSON.stringify(answer) !== JSON.stringify(each.answer)) return false;
      const moved = answer === undefined ? { index, step: step + 1, kept: memory } : { index: index + 1, ...BEGIN };
      return walk(next, at.with(lane, moved));
    });
  };
  return walk(
    begun,
    lanes.map(() => ({ index: 0, ...BEGIN })),
  );
}

interface Position {
  readonly index: number;
  readonly step: number;
  readonly kept: { content?: string };
}

const BEGIN = { step: 0, kept: {} } as const;
