/** How a client is connected: what to paste, and where. */
export interface ClientSetup {
  readonly client: string;
  readonly where: string;
  readonly text: string;
  /** Installs it with one click, where the client has such addresses. */
  readonly install?: string;
}

const NAME = 'service';
const KEY = 'SERVICE_API_KEY';

/** Returns the address of the tools in an organization. */
export function addressOf(origin: string, org: string, readOnly: boolean): string {
  const query = new URLSearchParams({ org, ...(readOnly ? { read_only: '1' } : {}) });
  return `${origin}/mcp?${query.toString()}`;
}

/** The texts of `docs/mcp.md` for one address. No text contains a key. */
export function setupsOf(address: string, { origin, org, readOnly }: SetupInput): ClientSetup[] {
  const args = ['--url', origin, '--org', org, 'mcp', ...(readOnly ? ['--read-only'] : [])];
  return [
    {
      client: 'Claude Code',
      where: 'In a terminal, with the key in SERVICE_API_KEY.',
      text: `claude mcp add --transport http ${NAME} '${address}' --header "Authorization: Bearer $${KEY}"`,
    },
    {
      client: 'Claude Desktop and claude.ai',
      where: 'Settings, Connectors, Add custom connector. The address has to be reachable from the internet.',
      text: address,
    },
    {
      client: 'Cursor',
      where: '.cursor/mcp.json in the project, or in your home directory.',
      text: json({
        mcpServers: { [NAME]: { url: address, headers: { Authorization: `Bearer \${env:${KEY}}` } } },
      }),
      install: cursorLinkOf(address),
    },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json. VS Code asks for the key once and keeps it.',
      text: json({
        inputs: [{ type: 'promptString', id: 'service-key', description: 'API key', password: true }],
        servers: {
          [NAME]: { type: 'http', url: address, headers: { Authorization: 'Bearer ${input:service-key}' } },
        },
      }),
      install: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, type: 'http', url: address }))}`,
    },
    {
      client: 'Codex CLI',
      where: '~/.codex/config.toml. Codex reads the key from the environment.',
      text: `[mcp_servers.${NAME}]\nurl = ${JSON.stringify(address)}\nbearer_token_env_var = "${KEY}"`,
    },
    {
      client: 'Any client that starts programs',
      where: 'The command line carries the messages, with the key of "service login".',
      text: json({ mcpServers: { [NAME]: { command: 'service', args } } }),
    },
  ];
}

/** Cursor takes the configuration in base64. */
function cursorLinkOf(url: string): string {
  const query = new URLSearchParams({ name: NAME, config: btoa(JSON.stringify({ url })) });
  return `cursor://anysphere.cursor-deeplink/mcp/install?${query.toString()}`;
}

interface SetupInput {
  readonly origin: string;
  readonly org: string;
  readonly readOnly: boolean;
}

const json = (value: object): string => JSON.stringify(value, undefined, 2);
