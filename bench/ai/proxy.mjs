/** What is between a caller and the model at least: the same bytes through node:http and undici, and nothing else. */
import { createServer } from 'node:http';
import { pipeline } from 'node:stream';
import { Pool } from 'undici';

const pool = new Pool(process.argv[2], { connections: 512, pipelining: 1 });
const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.once('end', () => {
    pool
      .request({
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(parts),
      })
      .then(({ statusCode, headers, body }) => {
        response.writeHead(statusCode, { 'content-type': headers['content-type'] });
        pipeline(body, response, () => undefined);
      })
      .catch(() => response.destroy());
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
