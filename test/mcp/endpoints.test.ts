import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiDescription } from '../../src/modules/docs/api-description.js';
import { TOOL_FILES } from '../../src/modules/mcp/tools/all-tools.js';
import { OUTSIDE_LISTS } from '../../src/modules/mcp/tools/outside-lists.js';
import type { Tool } from '../../src/modules/mcp/tools/tool.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { useApp } from '../support/test-app.js';

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
