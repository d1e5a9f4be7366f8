import { type AgentDefinition, type AgentDefinitionChange, type AgentTool, ServiceError } from '@service/client';
import { objectIn } from './json-text';

/** A tool in the form. What it may reach has a field of its own, and its other settings are JSON. */
export interface ToolDraft extends Pick<AgentTool, 'name' | 'approval' | 'unknown_outcome'> {
  readonly reach: string;
  readonly settings: string;
}

export interface BlockDraft {
  readonly label: string;
  readonly description: string;
  readonly value: string;
}

/** The lists of a definition in the form. What is a single value is in its field. */
export interface DefinitionDraft {
  readonly models: readonly string[];
  readonly tools: readonly ToolDraft[];
  readonly blocks: readonly BlockDraft[];
}

/** A setting that is a list of what a tool may reach. */
export interface ReachSetting {
  readonly setting: 'hosts' | 'databases' | 'buckets';
  readonly label: string;
  readonly placeholder: string;
}

const HOSTS: ReachSetting = { setting: 'hosts', label: 'Hosts', placeholder: 'api.example.com *.example.org' };
const DATABASES: ReachSetting = { setting: 'databases', label: 'Databases', placeholder: 'shop' };
const BUCKETS: ReachSetting = { setting: 'buckets', label: 'Buckets', placeholder: 'photos' };

/** The tools that can be narrowed to a list. */
const REACHES: ReadonlyMap<string, ReachSetting> = new Map([
  ['http_get', HOSTS],
  ['http_request', HOSTS],
  ['query_database', DATABASES],
  ['describe_database', DATABASES],
  ['execute_sql', DATABASES],
  ['list_objects', BUCKETS],
  ['read_object', BUCKETS],
  ['write_object', BUCKETS],
]);

export const reachOf = (tool: string): ReachSetting | undefined => REACHES.get(tool);

export const newTool = (name: string): ToolDraft => ({
  name,
  approval: 'auto',
  unknown_outcome: 'ask',
  reach: '',
  settings: '',
});

export function draftOf(definition?: AgentDefinition): DefinitionDraft {
  return {
    models: definition?.models ?? [''],
    tools: (definition?.tools ?? []).map(({ settings, ...tool }) => {
      const { [reachOf(tool.name)?.setting ?? '']: reach, ...others } = settings;
      const isPlain = Array.isArray(reach) && reach.every(isWord);
      const rest = isPlain ? others : settings;
      return {
        ...newTool(tool.name),
        ...tool,
        reach: isPlain ? reach.join(' ') : '',
        settings: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
      };
    }),
    blocks: (definition?.memory.blocks ?? []).map(({ label, description = '', value }) => ({
      label,
      description,
      value,
    })),
  };
}

/** A name with a space in it can be given as JSON only. */
const isWord = (value: unknown): boolean => typeof value === 'string' && /^[^\s,]+$/.test(value);

type Values = Readonly<Record<string, string>>;

/** @throws {Error} that says which field cannot be read. */
export function definitionIn(
  values: Values,
  draft: DefinitionDraft,
): AgentDefinitionChange & Pick<AgentDefinition, 'instructions' | 'models'> {
  const { scopes = '', monthly_cost: monthly = '', output_schema: schema = '' } = values;
  return {
    instructions: values['instructions'] ?? '',
    models: draft.models.filter((model) => model !== ''),
    tools: draft.tools.map(toolIn),
    budget: {
      cost: values['budget.cost'] ?? '1.00',
      steps: Number(values['budget.steps']),
      active_seconds: Math.round(Number(values['minutes']) * 60),
      tool_calls: Number(values['budget.tool_calls']),
    },
    monthly_cost: monthly === '' ? null : monthly,
    approval_expires_seconds: Math.round(Number(values['hours']) * 3_600),
    memory: {
      archive: values['archive'] === 'on',
      blocks: draft.blocks.map(({ label, description, value }) => ({
        label,
        ...(description === '' ? {} : { description }),
        value,
      })),
    },
    output_schema: schema.trim() === '' ? null : objectIn(schema, 'The output schema'),
    ...(scopes.trim() === '' ? {} : { scopes: scopes.trim().split(/\s+/) as unknown as AgentDefinition['scopes'] }),
    ...numberIn(values, 'temperature'),
    ...numberIn(values, 'max_output_tokens'),
  };
}

function toolIn({ reach, settings, ...tool }: ToolDraft): AgentTool {
  const others = settings.trim() === '' ? {} : objectIn(settings, `The settings of ${tool.name}`);
  const named = reach.split(/[\s,]+/).filter((name) => name !== '');
  const setting = reachOf(tool.name)?.setting;
  return {
    ...tool,
    settings: { ...(named.length === 0 || setting === undefined ? {} : { [setting]: named }), ...others },
  };
}

const numberIn = (values: Values, name: string): object => {
  const text = values[name] ?? '';
  return text === '' ? {} : { [name]: Number(text) };
};

/** Many faults of a definition are in lists, which have no field of their name: they are listed in words. */
export function inWords(error: unknown, fields: readonly string[]): unknown {
  if (!(error instanceof ServiceError) || error.status !== 400 || !Array.isArray(error.details)) return error;
  const faults = error.details as readonly { readonly path?: unknown; readonly message?: unknown }[];
  if (faults.every(({ path }) => fields.includes(String(path)))) return error;
  return new Error(faults.map(({ path, message }) => `${String(path)}: ${String(message)}`).join(' · '));
}
