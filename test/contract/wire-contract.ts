/**
 * The wire contract: what the OpenAPI document promises to callers and asks of them, one fact a line, without wording.
 * Names of schemas are left out, because callers never see them: what counts is the fields.
 *
 * A line says its direction by its verb. `takes` and `answers` are promises: removing one breaks callers. `asks` is a
 * demand, and so is `may be null` in an answer: adding one to what exists breaks callers.
 */

// The document is JSON from the wire; the tests say what they expect of it.
type Json = any;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const BOUNDS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'uniqueItems',
];

export function wireContractOf(document: Json): string[] {
  const facts = new Facts(document);
  for (const [path, operations] of Object.entries<Json>(document.paths))
    for (const method of METHODS.filter((name) => name in operations))
      facts.addOperation(`${method.toUpperCase()} ${path}`, operations[method]);
  return facts.sorted();
}

class Facts {
  private readonly lines = new Set<string>();

  constructor(private readonly document: Json) {}

  sorted(): string[] {
    return [...this.lines].sort();
  }

  addOperation(operation: string, { parameters = [], requestBody, responses, security, ...rest }: Json): void {
    this.lines.add(operation);
    for (const alternative of security ?? this.document.security ?? [])
      this.lines.add(`${operation} takes credential: ${Object.keys(alternative as object).join(' and ') || 'none'}`);
    if (security?.length === 0) this.lines.add(`${operation} takes credential: none`);
    if (rest['x-required-scope'] !== undefined)
      this.lines.add(`${operation} asks scope: ${String(rest['x-required-scope'])}`);

    for (const { in: place, name, required, schema } of parameters) {
      this.addTaken(operation, `${place}.${name}`, schema);
      // The path itself says it of its parameters.
      if (required === true && place !== 'path') this.lines.add(`${operation} asks ${place}.${name}: required`);
    }
    for (const [mediaType, { schema }] of Object.entries<Json>(requestBody?.content ?? {})) {
      this.lines.add(`${operation} takes body: ${mediaType}`);
      this.addTaken(operation, 'body', schema);
      if (requestBody.required === true) this.lines.add(`${operation} asks body: required`);
    }
    for (const [status, response] of Object.entries<Json>(responses)) this.addAnswer(operation, status, response);
  }

  private addAnswer(operation: string, status: string, response: Json): void {
    const codes: string[] | undefined = response['x-error-codes'];
    if (codes === undefined) this.lines.add(`${operation} answers ${status}`);
    for (const code of codes ?? []) this.lines.add(`${operation} answers ${status}: ${code}`);
    for (const [mediaType, { schema }] of Object.entries<Json>(response.content ?? {})) {
      // All errors have one shape, which the snapshot contains once and not some seven hundred times.
      const answer = codes === undefined ? `${operation} answers ${status}` : 'Every failure answers';
      this.lines.add(`${answer} body: ${mediaType}`);
      this.addAnswered(answer, 'body', schema);
    }
  }

  private addTaken(operation: string, field: string, schema: Json): void {
    this.walk(schema, field, (path, value, isRequired) => {
      for (const type of typesOf(value)) this.lines.add(`${operation} takes ${path}: ${type}`);
      if (value.nullable === true) this.lines.add(`${operation} takes ${path}: null`);
      if (value.default !== undefined)
        this.lines.add(`${operation} takes ${path}: default ${JSON.stringify(value.default)}`);
      for (const word of value.enum ?? []) this.lines.add(`${operation} takes ${path}: ${JSON.stringify(word)}`);
      if (value.enum !== undefined) this.lines.add(`${operation} asks ${path}: one of a list`);
      for (const bound of BOUNDS.filter((name) => value[name] !== undefined))
        this.lines.add(`${operation} asks ${path}: ${bound} ${String(value[bound])}`);
      if (isRequired) this.lines.add(`${operation} asks ${path}: required`);
    });
  }

  private addAnswered(answer: string, field: string, schema: Json): void {
    this.walk(schema, field, (path, value, isRequired) => {
      for (const type of typesOf(value)) this.lines.add(`${answer} ${path}: ${type}`);
      if (value.nullable === true) this.lines.add(`${answer} ${path}: may be null`);
      for (const word of value.enum ?? []) this.lines.add(`${answer} ${path}: ${JSON.stringify(word)}`);
      if (value.format !== undefined) this.lines.add(`${answer} ${path}: format ${String(value.format)}`);
      if (isRequired) this.lines.add(`${answer} ${path}: always`);
    });
  }

  /** Calls `visit` for the schema and all below it. @throws {Error} for a schema that contains itself. */
  private walk(
    schema: Json,
    path: string,
    visit: (path: string, schema: Json, isRequired: boolean) => void,
    isRequired = false,
  ): void {
    if (path.split('.').length > 20) throw new Error(`${path} goes too deep.`);
    const merged = this.resolve(schema);
    visit(path, merged, isRequired);
    for (const [name, property] of Object.entries<Json>(merged.properties ?? {}))
      this.walk(property, `${path}.${name}`, visit, merged.required?.includes(name) === true);
    if (merged.items !== undefined) this.walk(merged.items, `${path}[]`, visit);
    if (typeof merged.additionalProperties === 'object') this.walk(merged.additionalProperties, `${path}.*`, visit);
    for (const choice of [...(merged.oneOf ?? []), ...(merged.anyOf ?? [])]) this.walk(choice, path, visit);
  }

  /** Follows references, and puts the parts of `allOf` together. */
  private resolve(schema: Json): Json {
    const { $ref, allOf = [], ...own } = schema;
    const target = typeof $ref === 'string' ? this.document.components.schemas[$ref.split('/').at(-1)!] : undefined;
    const parts = [...(target === undefined ? [] : [target]), ...allOf].map((part) => this.resolve(part));
    return parts.reduceRight<Json>(
      (whole, part) => ({
        ...part,
        ...whole,
        ...(part.properties === undefined ? {} : { properties: { ...part.properties, ...whole.properties } }),
        ...(part.required === undefined ? {} : { required: [...part.required, ...(whole.required ?? [])] }),
      }),
      own,
    );
  }
}

const typesOf = ({ type }: Json): string[] => (type === undefined ? [] : [type].flat());

/** The changes that break callers, each as a sentence; both contracts as {@link wireContractOf} makes them. */
export function breakingChanges(before: readonly string[], after: readonly string[]): string[] {
  const old = new Set(before);
  const fresh = new Set(after);
  const subjects = new Set(before.map(subjectOf));
  const removed = before.filter((line) => !fresh.has(line) && !isDemand(line)).map((line) => `Removed: ${line}`);
  const demanded = after
    .filter((line) => !old.has(line) && isDemand(line) && subjects.has(neededBefore(line)))
    .flatMap((line) => {
      const former = before.find((other) => !fresh.has(other) && isDemand(other) && keyOf(other) === keyOf(line));
      return isWider(former, line) ? [] : [`${former === undefined ? 'New demand' : 'Changed demand'}: ${line}`];
    });
  return [...removed, ...demanded];
}

const isDemand = (line: string): boolean => / asks /.test(line) || line.endsWith(': may be null');

/** What a line is about, whichever way it is said: `POST /a takes body.b`. */
const subjectOf = (line: string): string => line.split(': ')[0]!.replace(' asks ', ' takes ');

/** What must have been there already for a demand to break anybody: the parent of a field that is required. */
function neededBefore(line: string): string {
  const subject = subjectOf(line);
  const [operation, field] = subject.split(' takes ');
  if (field === undefined) return subject;
  if (field === 'scope') return operation!;
  if (!line.endsWith(': required')) return subject;
  return field.startsWith('body.') ? subject.replace(/\.[^.]*$/, '') : operation!;
}

/** A demand without its value: `… asks body.name: maxLength`. */
const keyOf = (line: string): string => line.replace(/: (\S+)( .*)?$/, (_all, word: string) => `: ${word}`);

function isWider(former: string | undefined, line: string): boolean {
  if (former === undefined) return false;
  const [from, to] = [former, line].map((it) => Number(/ (-?[\d.]+)$/.exec(it)?.[1]));
  if (/: max\w+ \S+$/.test(line)) return to! >= from!;
  if (/: min\w+ \S+$/.test(line)) return to! <= from!;
  return false;
}
