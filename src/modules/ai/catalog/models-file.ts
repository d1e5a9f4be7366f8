import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import { trimEnd } from '../../../platform/text/trim.js';
import { TOKEN_KINDS, type TokenKind } from '../../metering/meter.js';
import { type Protocol, PROTOCOLS } from '../routers/model-router.js';

export const ROUTER_TYPES = ['openai', 'openrouter', 'anthropic'] as const;
export type RouterType = (typeof ROUTER_TYPES)[number];

/** A router as the operator declares it. */
export interface RouterDeclaration {
  readonly id: string;
  readonly type: RouterType;
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly free?: boolean | undefined;
  readonly hangUpStopsBilling?: boolean | undefined;
  /** True when it keeps no texts, whatever a request says. */
  readonly zeroRetention?: boolean | undefined;
  /** True when organizations may use keys of their own. A router that does not check keys would cost them nothing. */
  readonly ownKeys?: boolean | undefined;
}

/** A model that the operator names, or whose facts the operator overrides. */
export interface FileModel {
  readonly id: string;
  readonly router: string;
  readonly upstreamId: string;
  readonly aliases: readonly string[];
  readonly name: string | undefined;
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly protocols: readonly Protocol[] | undefined;
  /** What callers pay, in nano-dollars for 1,000,000 tokens. If undefined, the router's prices with the markup. */
  readonly pricesNano: Readonly<Partial<Record<TokenKind, bigint>>> | undefined;
}

export interface ModelsFile {
  readonly routers: readonly RouterDeclaration[];
  readonly models: readonly FileModel[];
  readonly onlyListed: boolean;
  /** One sentence for each fault, without any key. Nothing else is valid when there are faults. */
  readonly faults: readonly string[];
}

/** What callers and usage can name: printable ASCII, so that `<id>:<kind>` is a model of the meter. */
export const isModelId = (id: unknown): id is string => typeof id === 'string' && /^[!-~]{1,180}$/.test(id);

const ROUTER_ID = /^[a-z0-9][a-z0-9-]{0,31}$/;
const RESERVED_ROUTERS = new Set(['default', 'openrouter']);
const ANTHROPIC_URL = 'https://api.anthropic.com/v1';
const OPENROUTER_URL = 'https://openrouter.ai/api/v1';

const ROUTER_FIELDS = [
  'id',
  'type',
  'url',
  'api_key_file',
  'free',
  'hang_up_stops_billing',
  'zero_retention',
  'own_keys',
];

type Fields = Readonly<Record<string, unknown>>;

/** Reads the file, and reports all of its faults at once. It never throws. */
export function readModelsFile(path: string): ModelsFile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The text of a parser repeats the file, which may be one with keys that was named by mistake.
    const reason = (error as NodeJS.ErrnoException).code ?? 'it is not valid JSON';
    return { routers: [], models: [], onlyListed: false, faults: [`cannot read ${path}: ${reason}`] };
  }
  return new FileReader(dirname(path)).read(content);
}

class FileReader {
  private readonly faults: string[] = [];

  /** @param directory where relative paths of keys begin. */
  constructor(private readonly directory: string) {}

  read(content: unknown): ModelsFile {
    const file = this.object(content, 'the file', ['routers', 'models', 'only_listed']);
    const routers = this.list(file['routers'], 'routers').map((entry, index) =>
      this.router(entry, `routers[${index}]`),
    );
    const models = this.list(file['models'], 'models').map((entry, index) => this.model(entry, `models[${index}]`));
    const onlyListed = this.boolean(file['only_listed'], 'only_listed') ?? false;
    this.refuseRepeated(
      routers.map(({ id }) => id),
      'router',
    );
    this.refuseRepeated(
      models.flatMap(({ id, aliases }) => [id, ...aliases]),
      'model or alias',
    );
    return { routers, models, onlyListed, faults: this.faults };
  }

  private router(entry: unknown, at: string): RouterDeclaration {
    const fields = this.object(entry, at, ROUTER_FIELDS);
    const id = this.matching(fields['id'], `${at}.id`, ROUTER_ID, '1 to 32 of a-z, 0-9 and "-"');
    if (RESERVED_ROUTERS.has(id)) this.faults.push(`${at}.id "${id}" is the name of a router of the environment`);
    const type = ROUTER_TYPES.find((each) => each === fields['type']);
    if (type === undefined) this.faults.push(`${at}.type must be one of ${ROUTER_TYPES.join(', ')}`);
    const apiKey = this.key(fields['api_key_file'], `${at}.api_key_file`);
    if (apiKey === undefined && fields['api_key_file'] === undefined && type !== undefined && type !== 'openai')
      this.faults.push(`${at}.api_key_file must be set for a router of the type ${type}`);
    return {
      id,
      type: type ?? 'openai',
      url: this.url(fields['url'] ?? urlOf(type), `${at}.url`),
      apiKey,
      free: this.boolean(fields['free'], `${at}.free`),
      hangUpStopsBilling: this.boolean(fields['hang_up_stops_billing'], `${at}.hang_up_stops_billing`),
      zeroRetention: this.boolean(fields['zero_retention'], `${at}.zero_retention`),
      ownKeys: this.boolean(fields['own_keys'], `${at}.own_keys`),
    };
  }

  private model(entry: unknown, at: string): FileModel {
    const fields = this.object(entry, at, [
      'id',
      'router',
      'upstream',
      'aliases',
      'name',
      'context_tokens',
      'max_output_tokens',
      'protocols',
      'prices',
    ]);
    const id = this.modelId(fields['id'], `${at}.id`);
    const protocols =
      fields['protocols'] === undefined ? undefined : this.protocols(fields['protocols'], `${at}.protocols`);
    const onlyEmbeds = protocols?.every((protocol) => protocol === 'embeddings') === true;
    return {
      id,
      router: this.matching(fields['router'], `${at}.router`, ROUTER_ID, 'the id of a router'),
      upstreamId: this.text(fields['upstream'] ?? id, `${at}.upstream`),
      aliases: this.list(fields['aliases'], `${at}.aliases`).map((alias, index) =>
        this.modelId(alias, `${at}.aliases[${index}]`),
      ),
      name: fields['name'] === undefined ? undefined : this.text(fields['name'], `${at}.name`),
      contextTokens: this.count(fields['context_tokens'], `${at}.context_tokens`),
      maxOutputTokens: this.count(fields['max_output_tokens'], `${at}.max_output_tokens`),
      protocols,
      pricesNano:
        fields['prices'] === undefined ? undefined : this.prices(fields['prices'], `${at}.prices`, onlyEmbeds),
    };
  }

  private prices(value: unknown, at: string, onlyEmbeds: boolean): Readonly<Partial<Record<TokenKind, bigint>>> {
    const fields = this.object(value, at, TOKEN_KINDS);
    for (const kind of onlyEmbeds ? ['input'] : ['input', 'output'])
      if (fields[kind] === undefined) this.faults.push(`${at}.${kind} must be set`);
    return Object.fromEntries(
      TOKEN_KINDS.flatMap((kind) => {
        if (fields[kind] === undefined) return [];
        const nano = nanoOf(fields[kind]);
        if (nano === undefined)
          this.faults.push(`${at}.${kind} must be dollars for 1,000,000 tokens as a quoted decimal, such as "0.15"`);
        return [[kind, nano ?? 0n] as const];
      }),
    );
  }

  private protocols(value: unknown, at: string): readonly Protocol[] {
    const given = this.list(value, at);
    const known = PROTOCOLS.filter((protocol) => given.includes(protocol));
    if (known.length !== given.length || known.length === 0)
      this.faults.push(`${at} must be a list of ${PROTOCOLS.join(', ')}`);
    return known;
  }

  private key(value: unknown, at: string): string | undefined {
    if (value === undefined) return undefined;
    try {
      const key = readFileSync(resolve(this.directory, this.text(value, at)), 'utf8').trim();
      if (/^[!-~]{1,4096}$/.test(key)) return key;
      this.faults.push(`${at} must name a file with one key on one line`);
    } catch (error) {
      this.faults.push(`${at} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it is no file'}`);
    }
    return undefined;
  }

  private object(value: unknown, at: string, known: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.faults.push(`${at} must be an object`);
      return {};
    }
    for (const name of Object.keys(value))
      if (!known.includes(name))
        this.faults.push(`${at} has an unknown field "${name}"; known are ${known.join(', ')}`);
    return value as Fields;
  }

  private list(value: unknown, at: string): readonly unknown[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.faults.push(`${at} must be a list`);
    return [];
  }

  private text(value: unknown, at: string): string {
    if (typeof value === 'string' && value !== '' && value.length <= 300) return value;
    this.faults.push(`${at} must be a text of 1 to 300 characters`);
    return '';
  }

  private matching(value: unknown, at: string, pattern: RegExp, rule: string): string {
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.faults.push(`${at} must be ${rule}`);
    return '';
  }

  private modelId(value: unknown, at: string): string {
    if (isModelId(value)) return value;
    this.faults.push(`${at} must be 1 to 180 printable ASCII characters without spaces`);
    return '';
  }

  private count(value: unknown, at: string): number | undefined {
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0))
      return value as number | undefined;
    this.faults.push(`${at} must be a whole number above 0`);
    return undefined;
  }

  private boolean(value: unknown, at: string): boolean | undefined {
    if (value === undefined || typeof value === 'boolean') return value;
    this.faults.push(`${at} must be true or false`);
    return undefined;
  }

  private url(value: unknown, at: string): string {
    if (typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value)) return trimEnd(value, '/');
    this.faults.push(`${at} must begin with http:// or https://`);
    return '';
  }

  private refuseRepeated(names: readonly string[], kind: string): void {
    const repeated = new Set(names.filter((name, index) => name !== '' && names.indexOf(name) !== index));
    for (const name of repeated) this.faults.push(`the ${kind} "${name}" is listed twice`);
  }
}

function urlOf(type: RouterType | undefined): string | undefined {
  switch (type) {
    case 'anthropic':
      return ANTHROPIC_URL;
    case 'openrouter':
      return OPENROUTER_URL;
    case 'openai':
    case undefined:
      return undefined;
  }
}

function nanoOf(usd: unknown): bigint | undefined {
  try {
    const nano = typeof usd === 'string' ? parseUsd(usd) : -1n;
    return nano < 0n ? undefined : nano;
  } catch {
    return undefined;
  }
}
