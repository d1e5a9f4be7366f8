import { addressOf, setupsOf } from '../../web/src/mcp/client-setups.js';

const ORIGIN = 'https://service.example.com';

describe('the texts that connect a client', () => {
  const address = addressOf(ORIGIN, 'acme', true);
  const setups = setupsOf(address, { origin: ORIGIN, org: 'acme', readOnly: true });
  const textOf = (name: string): string => setups.find(({ client }) => client === name)!.text;

  it('lead to the organization, and to reading alone where that is chosen', () => {
    expect(address).toBe('https://service.example.com/mcp?org=acme&read_only=1');
    expect(addressOf(ORIGIN, 'acme', false)).toBe('https://service.example.com/mcp?org=acme');
    const [command] = setups.slice(-1);
    expect(JSON.parse(command!.text)).toEqual({
      mcpServers: {
        service: { command: 'service', args: ['--url', ORIGIN, '--org', 'acme', 'mcp', '--read-only'] },
      },
    });
  });

  it('are what the client reads', () => {
    expect(JSON.parse(textOf('Cursor'))).toMatchObject({ mcpServers: { service: { url: address } } });
    expect(JSON.parse(textOf('VS Code'))).toMatchObject({ servers: { service: { type: 'http', url: address } } });
    expect(textOf('Codex CLI')).toContain(`url = "${address}"`);
    expect(textOf('Claude Code')).toContain(`'${address}'`);
  });

  it('install the same address with one click', () => {
    const links = setups.flatMap(({ install }) => (install === undefined ? [] : [new URL(install)]));
    const [cursor, code] = links as [URL, URL];
    expect(JSON.parse(atob(cursor.searchParams.get('config')!))).toEqual({ url: address });
    expect(JSON.parse(decodeURIComponent(code.search.slice(1)))).toEqual({
      name: 'service',
      type: 'http',
      url: address,
    });
  });

  it('contain no key', () => {
    expect(JSON.stringify(setups)).not.toMatch(/svc_/);
  });
});
