import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { ToolUse } from '../../agents/agent-definition.js';
import type { AgentTool, ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import type { JsonSchema } from '../../agents/json-schema.js';
import type { Scope } from '../../auth/scopes.js';
import {
  isAllowedHost,
  type KeyedExecutionInput,
  MAX_ALLOWED_HOSTS,
  MAX_PACKAGES,
  PACKAGE_SETS,
} from '../../sandbox/org-executions.service.js';
import { ExecutionPackagesRefused } from '../../sandbox/sandbox.errors.js';
import { storable } from './bounded-text.js';
import { cutToBytes } from '../../../platform/text/cut-text.js';
import { settingFault, unknownSettings } from './setting-faults.js';
import { failed, SingleTool, type ToolSettings } from './single-tool.js';

const MAX_PACKAGE_LENGTH = 280;
const MAX_LOG_BYTES = 8_192;
const PACKAGE_LIST: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_PACKAGES,
  items: { type: 'string', maxLength: MAX_PACKAGE_LENGTH },
};

const PACKAGE_PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  package_set: {
    type: 'string',
    enum: [...PACKAGE_SETS],
    description:
      'A set of installed packages: python-data (numpy, pandas, matplotlib, requests) for Python, node-common ' +
      '(lodash, zod, date-fns, dayjs, cheerio, papaparse, uuid, nanoid) for JavaScript and TypeScript.',
  },
  packages: {
    type: 'object',
    properties: { npm: PACKAGE_LIST, pip: PACKAGE_LIST },
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description:
      'Packages with exact versions, instead of a set: {"pip": ["six==1.16.0"]} for Python, {"npm": ' +
      '["left-pad@1.3.0"]} for JavaScript and TypeScript. Installing them for the first time takes a while and is ' +
      'charged.',
  },
};

/** What the arguments of a model ask for beside the code. */
export interface CodeInput {
  readonly package_set?: KeyedExecutionInput['packageSet'];
  readonly packages?: KeyedExecutionInput['packages'];
  readonly network?: { readonly allow: readonly string[] };
}

interface Settings {
  /** The hosts that code may connect to. Without them, it has no network. */
  readonly hosts?: readonly string[];
  /** False: only sets, and no packages that the model names. */
  readonly packages?: boolean;
}

/** A tool that runs code. A version says which hosts the code may connect to, and whether a model may name packages. */
export abstract class CodeTool extends SingleTool {
  readonly effect = 'keyed';
  override readonly scopes: readonly Scope[] = ['sandbox:execute'];

  override faultsOf(settings: ToolSettings, path: string): readonly FieldFault[] {
    const { hosts, packages } = settings;
    const isSwitch = packages === undefined || typeof packages === 'boolean';
    return [
      ...unknownSettings(settings, ['hosts', 'packages'], path),
      ...(hosts === undefined ? [] : hostFaults(hosts, path)),
      ...(isSwitch ? [] : [settingFault(path, 'packages', 'is_packages', 'must be true or false.')]),
    ];
  }

  /** With a network, the code can send out what the run has read: a marked run asks for approval first. */
  override async toolsOf(use: ToolUse): Promise<readonly AgentTool[]> {
    const { hosts } = use.settings as Settings;
    const [tool] = await super.toolsOf(use);
    return [{ ...tool!, inputSchema: this.schemaFor(use.settings), isOutward: hosts !== undefined }];
  }

  protected override async call(call: ToolCall, settings: ToolSettings): Promise<ToolOutcome> {
    const refused = refusalOf(call.input, settings);
    if (refused !== undefined) return refused;
    try {
      return await this.run(call);
    } catch (error) {
      if (error instanceof ExecutionPackagesRefused) return notInstalled(error);
      // The model can run something else, or try again.
      if (error instanceof DomainError && error.status === 503) return unavailable(error);
      throw error;
    }
  }

  protected abstract run(call: ToolCall): Promise<ToolOutcome>;

  private schemaFor({ hosts, packages = true }: Settings): JsonSchema {
    const { properties, ...rest } = this.inputSchema as JsonSchema & { readonly properties: object };
    const { package_set, packages: named } = PACKAGE_PROPERTIES;
    return {
      ...rest,
      properties: {
        ...properties,
        package_set,
        ...(packages ? { packages: named } : {}),
        ...(hosts === undefined ? {} : { network: networkOf(hosts) }),
      },
    };
  }
}

/** Returns what the input asks for, in the words of the sandbox. */
export const extrasOf = ({
  package_set: packageSet,
  packages,
  network,
}: CodeInput): Pick<KeyedExecutionInput, 'packageSet' | 'packages' | 'allowedHosts'> => ({
  packageSet,
  packages,
  allowedHosts: network?.allow,
});

/** Arguments are checked against the schema before; this holds for every caller of the tool. */
function refusalOf({ packages, network }: CodeInput, settings: Settings): ToolOutcome | undefined {
  if (packages !== undefined && settings.packages === false)
    return failed('packages_not_allowed', 'This agent may not name packages. Use package_set.');
  if (network === undefined) return undefined;
  const { hosts = [] } = settings;
  const others = network.allow.filter((host) => !hosts.includes(host));
  if (others.length === 0 && hosts.length > 0) return undefined;
  const may = hosts.length === 0 ? 'no host' : `only ${hosts.join(', ')}`;
  return failed('host_not_listed', `The code of this agent may connect to ${may}, and not to ${shown(others)}.`);
}

const shown = (hosts: readonly string[]): string => storable(hosts.slice(0, 5).join(', ')).slice(0, 500);

function unavailable(error: DomainError): ToolOutcome {
  const { hint } = error.help;
  return failed(error.code, hint === undefined ? error.message : `${error.message} ${hint}`);
}

/** The model needs the log to correct its choice, and the log is words of others. */
const notInstalled = ({ code, message, help: { details } }: ExecutionPackagesRefused): ToolOutcome => ({
  kind: 'succeeded',
  output: {
    status: 'not_run',
    error: { name: code, message: `${message} Nothing ran. Correct the names and versions.` },
    log: cutToBytes(storable((details as { readonly log: string }).log), MAX_LOG_BYTES).text,
  },
  taints: true,
});

function hostFaults(hosts: unknown, path: string): readonly FieldFault[] {
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > MAX_ALLOWED_HOSTS)
    return [settingFault(path, 'hosts', 'is_hosts', `must be a list of 1 to ${MAX_ALLOWED_HOSTS} hosts.`)];
  const rule = 'must be a name such as "api.example.com" or "*.example.org", with an optional port other than 25.';
  return (hosts as unknown[]).flatMap((host, index) =>
    isAllowedHost(host) ? [] : [settingFault(path, `hosts[${index}]`, 'is_host', rule)],
  );
}

const networkOf = (hosts: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: {
    allow: { type: 'array', minItems: 1, maxItems: MAX_ALLOWED_HOSTS, items: { type: 'string', enum: [...hosts] } },
  },
  required: ['allow'],
  additionalProperties: false,
  description: 'The hosts that the code may connect to. Without it there is no network.',
});
