import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { AgentVersion } from '../../src/modules/agents/agent-definition.js';
import { AgentTools } from '../../src/modules/agents/agent-tools.js';
import { ApiDescription } from '../../src/modules/docs/api-description.js';
import { TOOL_FILES } from '../../src/modules/mcp/tools/all-tools.js';
import { OUTSIDE_LISTS } from '../../src/modules/mcp/tools/outside-lists.js';
import type { Tool } from '../../src/modules/mcp/tools/tool.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { SERVICE_TOOLS } from '../../src/modules/runs/tools/service-tools.js';
import { useApp } from '../support/test-app.js';
import { RUN_START } from '../support/tool-caller.js';

const page = (name: string): string => readFileSync(join(PROJECT_ROOT, 'docs', name), 'utf8');
const TOOLS: readonly Tool[] = [...TOOL_FILES.flatMap(({ tools }) => tools), ...Object.values(OUTSIDE_LISTS).flat()];
const endpointOf = ({ method, path }: Tool): string => `${method} ${path}`;

/** The endpoints in the table of those without a tool. */
const LEFT_OUT = [...page('mcp-endpoints.md').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE|HEAD) \/[^`]+)`/g)].map(
  ([, endpoint]) => endpoint!,
);

/** The part of the document that says which scope a route requires. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-required-scope'?: string }>>>>;
}

const app = useApp({}, 'api');

describe('each endpoint of the API', () => {
  let documented: string[];

  beforeAll(() => {
    const { paths }: OpenAPIObject = app.get(ApiDescription).get();
    documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => method !== 'head')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
  });

  it('is a tool, or stands in docs/mcp-endpoints.md with the reason why it is none', () => {
    const tools = new Set(TOOLS.map(endpointOf));
    expect(documented.filter((endpoint) => !tools.has(endpoint) && !LEFT_OUT.includes(endpoint))).toEqual([]);
    expect(LEFT_OUT.filter((endpoint) => tools.has(endpoint))).toEqual([]);
    expect(LEFT_OUT.filter((endpoint) => !documented.includes(endpoint))).toEqual([]);
    expect(LEFT_OUT).toEqual([...new Set(LEFT_OUT)]);
  });

  it('is there for each tool that is not a page of the documentation', () => {
    const unknown = TOOLS.filter((tool) => !documented.includes(endpointOf(tool)));
    expect(unknown.map(({ path }) => path.split('/')[1])).toEqual(unknown.map(() => 'docs'));
  });
});

/** Tools of agents that have another name, or another form of the answer, than the tool of MCP that does the same. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  deploy_logs: 'get_deploy_logs',
  describe_database: 'describe_schema',
  usage_summary: 'get_usage',
  start_agent: 'run_agent',
};
/** Tools of agents that act on the run, the agent, its swarm or the world outside: no endpoint does that. */
const OF_RUNS_ALONE = [
  ...['ask_person', 'board', 'http_get', 'http_request', 'mcp', 'recall', 'remember', 'search_files'],
  ...['send_mail', 'send_webhook', 'service', 'set_memory_block'],
];

describe('each kind of tools of agents', () => {
  it('does what a tool of MCP does with the same scopes, or acts on what no endpoint has', async () => {
    const kinds = app.get(AgentTools).list();
    const { paths } = app.get(ApiDescription).get() as unknown as Described;
    const needed = ({ method, path, alsoNeeds = [] }: Tool): string[] =>
      [paths[path]![method.toLowerCase()]!['x-required-scope']!, ...alsoNeeds].sort();
    expect(kinds.filter(({ name }) => OF_RUNS_ALONE.includes(name)).map(({ name }) => name)).toEqual(OF_RUNS_ALONE);
    for (const kind of kinds.filter(({ name }) => !OF_RUNS_ALONE.includes(name))) {
      const name = OTHER_NAMES[kind.name] ?? kind.name;
      const tool = TOOLS.find((each) => each.name === name);
      expect([kind.name, tool?.name]).toEqual([kind.name, name]);
      // Who may write may read: the kind names what a version needs besides.
      const scopes = needed(tool!).filter((scope) => !kind.scopes.includes(scope.replace(/:read$/, ':write') as never));
      expect([name, ...kind.scopes].sort()).toEqual(expect.arrayContaining(scopes));
      expect([name, kind.scopes.every((scope) => needed(tool!).includes(scope))]).toEqual([name, true]);
      const use = { name: kind.name, approval: 'auto', unknownOutcome: 'ask', settings: {} } as const;
      const version = { orgId: 'org_x', agentId: 'agt_x', number: 1, tools: [use] } as unknown as AgentVersion;
      const [made] = await kind.toolsOf(use, version, RUN_START);
      expect([name, made?.effect === 'read']).toEqual([name, tool!.effect === 'reads']);
    }
  });
});

it('agents may use all tools but those that start runs', () => {
  const groups = TOOL_FILES.filter(({ group }) => group !== 'agents');
  expect(SERVICE_TOOLS).toEqual(
    Object.fromEntries(groups.map(({ group, tools }) => [group, tools.map(({ name }) => name)])),
  );
});

describe('docs/mcp.md', () => {
  const rows = (name: string): string[] =>
    new RegExp(`<!-- ${name} -->\\n\\n([^]*?)\\n\\n<!-- /${name} -->`).exec(page('mcp.md'))![1]!.split('\n').slice(2);
  const toolIn = (row: string): string | undefined => /`(\w+)`/.exec(row)?.[1];

  it('lists all tools in the order of the server, with the scopes that they need', () => {
    const { paths } = app.get(ApiDescription).get() as unknown as Described;
    const needsOf = ({ method, path, alsoNeeds = [] }: Tool): string => {
      const scope = paths[path]?.[method.toLowerCase()]?.['x-required-scope'];
      const scopes = [...new Set([...(scope === undefined ? [] : [scope]), ...alsoNeeds])];
      return scopes.length === 0 ? 'a key' : scopes.map((each) => `\`${each}\``).join(', ');
    };
    const expected = TOOL_FILES.flatMap(({ group, tools }) =>
      tools.map((tool) => [group, tool.name, needsOf(tool)].join(' ')),
    );
    const cells = rows('tools').map((row) => row.split('|').map((cell) => cell.trim()));
    expect(cells.map(([, group, tool, , needs]) => [group, tool!.replaceAll('`', ''), needs].join(' '))).toEqual(
      expected,
    );
  });

  it('lists the tools of operators', () => {
    expect(rows('operator tools').map(toolIn)).toEqual(OUTSIDE_LISTS.ops.map(({ name }) => name));
  });
});
