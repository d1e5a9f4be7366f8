import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import type { LocalService } from '../../src/platform/egress/local-service.js';
import { Workbench } from './workbench.js';

const ASK = `
const socket = require('node:net').connect(5432, '127.0.0.1');
let text = '';
socket.once('error', (error) => { console.log('failed ' + error.code); process.exit(0); });
socket.on('data', (chunk) => (text += chunk)).once('end', () => {
  require('node:fs').mkdirSync('dist', { recursive: true });
  require('node:fs').writeFileSync('dist/index.html', text);
});
socket.end(process.env.WORD ?? 'none');`;

describe('services that are attached to a build', () => {
  let bench: Workbench;
  let service: Server;
  let attached: LocalService;

  beforeAll(async () => {
    bench = new Workbench();
    service = createServer({ allowHalfOpen: true }, (socket) => {
      let text = '';
      socket.on('error', () => undefined).on('data', (chunk) => (text += String(chunk)));
      socket.once('end', () => socket.end(`heard ${text}`));
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    attached = {
      port: 5432,
      connect: () => Promise.resolve(connect({ port, host: '127.0.0.1', allowHalfOpen: true })),
    };
  });
  afterAll(async () => {
    service.close();
    await bench.close();
  });

  const files = { 'package.json': JSON.stringify({ scripts: { build: 'node ask.js' } }), 'ask.js': ASK };

  it('are reached by its code at their port', async () => {
    const { files: built } = await bench.build(files, { services: [attached], environment: { WORD: 'hello' } });
    expect(built).toEqual({ 'index.html': 'heard hello' });
  });

  it('are not there for other builds', async () => {
    await expect(bench.build(files)).rejects.toMatchObject({ code: 'output_not_found' });
    expect(bench.log).toContain('stdout: failed ECONNREFUSED');
  });

  it('that do not answer are named in the log', async () => {
    const down: LocalService = { port: 5432, connect: () => Promise.reject(new Error('down')) };
    const { files: built } = await bench.build(files, { services: [down] });
    expect(built).toEqual({ 'index.html': '' });
    expect(bench.log).toContain('system: A service that is attached to the project did not answer.');
  });
});
