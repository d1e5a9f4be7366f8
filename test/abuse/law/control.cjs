// What the machine itself does to calls during the attack: two plain processes that share no code with the service. The
// first answers a call once it has asked the second HOPS times, one after the other, as a service asks its database.
const { Agent, createServer, get } = require('node:http');
const { fork } = require('node:child_process');

const HOPS = 6;

if (process.argv[2] === 'back') {
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1', () => {
    process.send(server.address().port);
  });
  process.on('disconnect', () => process.exit(0));
} else {
  const agent = new Agent({ keepAlive: true });
  fork(__filename, ['back']).once('message', (port) => {
    const hop = () =>
      new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, agent }, (answer) => answer.resume().once('end', resolve)).once('error', reject);
      });
    const server = createServer(async (_, response) => {
      try {
        for (let hops = 0; hops < HOPS; hops++) await hop();
        response.end('ok');
      } catch {
        response.writeHead(502).end();
      }
    }).listen(0, '127.0.0.1', () => {
      process.send(`http://127.0.0.1:${server.address().port}`);
    });
  });
  process.on('disconnect', () => process.exit(0));
}
