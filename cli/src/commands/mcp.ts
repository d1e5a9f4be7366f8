import type { Command } from 'commander';
import { Context } from '../context.js';
import { NotLoggedIn } from '../failures.js';
import { McpBridge } from '../mcp-bridge.js';

interface McpOptions {
  readonly readOnly?: true;
  readonly project?: string;
  readonly features?: string;
  readonly writes?: string;
  readonly anonymous?: true;
}

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('connect an MCP client to the service: it starts this command, and speaks to it over standard input')
    .option('--read-only', 'offer only tools that change nothing and send nothing out')
    .option('--project <id-or-slug>', 'offer only tools that work in this project')
    .option('--features <groups>', 'offer only these groups of tools, separated by commas, such as deploys,databases')
    .option('--writes <target>', '"main": execute_sql may change databases that are no branches')
    .option('--anonymous', 'offer the tools that need no key')
    .action(async (options: McpOptions, command: Command) => {
      const context = await Context.of(command);
      const apiKey = options.anonymous === true ? undefined : await keyOf(context);
      const bridge = new McpBridge({
        url: addressOf(context, options),
        headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
        input: process.stdin,
        output: process.stdout,
        note: (text) => {
          process.stderr.write(`${text}\n`);
        },
      });
      await bridge.run();
    });
}

async function keyOf(context: Context): Promise<string> {
  const key = await context.apiKey();
  if (key === undefined) throw new NotLoggedIn(context.url);
  return key;
}

function addressOf(context: Context, options: McpOptions): URL {
  if (options.anonymous === true) return new URL(`${context.url}/mcp/anonymous`);
  const url = new URL(`${context.url}/mcp`);
  const { project, features, writes } = options;
  const narrowed = {
    read_only: options.readOnly === true ? '1' : undefined,
    ...{ org: context.organization, project, features, writes },
  };
  for (const [name, value] of Object.entries(narrowed)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}
