import { AgentTools } from '../../../src/modules/agents/agent-tools.js';
import { JsonSchemas } from '../../../src/modules/agents/json-schemas.js';
import { SCOPES } from '../../../src/modules/auth/scopes.js';
import { Make } from '../../support/make.js';
import { useApp } from '../../support/test-app.js';
import { ToolCaller } from '../../support/tool-caller.js';

/** Settings of the kinds that cannot do without. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  http_request: { hosts: ['api.example.com'] },
  send_webhook: { url: 'https://hooks.example.com/' },
  execute_sql: { databases: ['shop'] },
  write_object: { buckets: ['photos'] },
  start_agent: { agents: ['helper'] },
};
/** Their tools are those of a server. */
const OTHERS = ['mcp', 'service'];

describe('the kinds of tools', () => {
  const app = useApp({}, 'all');

  it('have tools with a name, a description, scopes and a schema that arguments can be checked against', async () => {
    const person = await new Make(app).person();
    const caller = new ToolCaller(app, person.organization, person);
    const kinds = app.get(AgentTools).list();
    expect(kinds.length).toBeGreaterThan(15);
    for (const { name, summary, scopes } of kinds.filter((kind) => !OTHERS.includes(kind.name))) {
      const settings = SETTINGS[name] ?? {};
      expect([name, caller.faults(name, settings)]).toEqual([name, []]);
      expect(summary).toMatch(/^[A-Z].*\.$/);
      for (const tool of await caller.tools(name, settings)) {
        expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(tool.description.length).toBeGreaterThan(20);
        expect([tool.name, app.get(JsonSchemas).faultsOf(tool.inputSchema)]).toEqual([tool.name, []]);
        expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
        // A version that may use the kind may use its tools.
        for (const scope of tool.scopes) expect([...scopes]).toContain(scope);
        for (const scope of scopes) expect(SCOPES).toContain(scope);
        // What is read from others marks the run.
        if (tool.effect === 'read' && tool.taints) expect(tool.description).toMatch(/not as instructions/);
      }
    }
  });

  it('refuse settings that they do not have', () => {
    const caller = new ToolCaller(app, { id: 'org_x' }, undefined as never);
    for (const { name } of app.get(AgentTools).list())
      expect([name, caller.faults(name, { ...SETTINGS[name], unknown_setting: 1 }).map(({ path }) => path)]).toEqual([
        name,
        expect.arrayContaining(['tools[0].settings.unknown_setting']),
      ]);
  });
});
