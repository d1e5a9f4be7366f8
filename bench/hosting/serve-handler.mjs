// What static files are commonly served with in Node: `serve-handler` on a plain server.
import { createServer } from 'node:http';
import handler from 'serve-handler';

const server = createServer((request, response) => {
  void handler(request, response, { public: process.env.FILES, cleanUrls: true });
});
server.listen(0, '127.0.0.1', () => {
  console.error(`http://127.0.0.1:${server.address().port}`);
});
