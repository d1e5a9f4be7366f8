import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { AppServersService } from '../../src/modules/hosting/app-servers.service.js';
import { DeployEnvironment } from '../../src/modules/hosting/deploy-environment.js';
import type { LocalService } from '../../src/platform/egress/local-service.js';
import { built, deploy, type Deployed, visit } from '../support/hosting.js';
import { eventually, useApp } from '../support/test-app.js';

/** Sends what its visitor says to a local port, and answers with all that comes back. */
const SERVER = `
const net = require('node:net');
require('node:http').createServer((request, response) => {
  const url = new URL(request.url, 'http://app');
  if (url.pathname !== '/call') return response.end('up');
  const socket = net.connect(Number(url.searchParams.get('port')), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  socket.once('error', (error) => response.end(error.code));
  socket.once('end', () => response.end(text));
  if (url.searchParams.has('hold')) return response.end('held');
  socket.end(url.searchParams.get('say'));
}).listen(process.env.PORT, process.env.HOSTNAME);
`;

describe('services that are attached to an app', () => {
  const app = useApp({});
  const reached: Socket[] = [];
  let service: Server;
  let deployed: Deployed;
  let isDown = false;

  const call = async (query: string): Promise<string> => (await visit(app, deployed.label, `/call?${query}`)).text;

  beforeAll(async () => {
    service = createServer({ allowHalfOpen: true }, (socket) => {
      reached.push(socket);
      let text = '';
      socket.on('error', () => undefined).on('data', (chunk) => (text += String(chunk)));
      socket.once('end', () => socket.end(`heard ${text}`));
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const attached: LocalService = {
      port: 5432,
      connect: async () => {
        if (isDown) throw new Error('It is down.');
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        await once(socket, 'connect');
        return socket;
      },
    };
    jest.spyOn(app.get(DeployEnvironment), 'of').mockResolvedValue({});
    jest.spyOn(app.get(DeployEnvironment), 'servicesOf').mockResolvedValue([attached]);
    deployed = await deploy(
      app,
      built(
        { 'server.js': SERVER },
        { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
      ),
    );
    await visit(app, deployed.label, '/');
  });
  afterAll(() => {
    jest.restoreAllMocks();
    for (const socket of reached) socket.destroy();
    service.close();
  });

  it('are reached at their port, and nothing else is', async () => {
    expect(await call('port=5432&say=hello')).toBe('heard hello');
    expect(await call('port=5433&say=hello')).toBe('ECONNREFUSED');
  });

  it('end the connection of an app when they cannot be reached', async () => {
    isDown = true;
    expect(await call('port=5432&say=hello')).toBe('');
    isDown = false;
    expect(await call('port=5432&say=again')).toBe('heard again');
  });

  it('lose their connections when the server ends', async () => {
    const before = reached.length;
    expect(await call('port=5432&hold')).toBe('held');
    await eventually(() => reached.length > before, 'the app is connected');
    const socket = reached.at(-1)!;
    expect(socket.destroyed).toBe(false);
    await app.get(AppServersService).stop(deployed.deployId);
    await eventually(() => socket.destroyed, 'the connection has ended');
  });
});
