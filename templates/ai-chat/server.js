// A chat with a model: the page is in public/, and the model is called here, so that the key never leaves the server.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';

const PORT = Number(process.env.PORT ?? 3000);
const MAX_BODY_BYTES = 100_000;
const PAGES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/chat.js': ['chat.js', 'text/javascript; charset=utf-8'],
  '/chat.css': ['chat.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
};
const NOT_SET =
  'This app has no key for models yet. Ask for one with PUT /api/v1/projects/<project>/model-access, or set OPENAI_API_KEY, and deploy again.';

// It reads OPENAI_BASE_URL and OPENAI_API_KEY.
const ai = process.env.OPENAI_API_KEY ? new OpenAI() : undefined;

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error.message);
    const status = error.status ?? 500;
    if (response.headersSent) response.end(`\n\n[${error.message}]`);
    else json(response, status, { error: error.message });
  });
}).listen(PORT, process.env.HOSTNAME, () => console.log(`Listening on port ${PORT}.`));

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://app');
  if (request.method === 'GET' && pathname === '/api/models') return json(response, 200, await models());
  if (request.method === 'POST' && pathname === '/api/chat') return chat(request, response);
  const page = PAGES[pathname];
  if (request.method !== 'GET' || page === undefined) return json(response, 404, { error: 'Not found.' });
  const [file, type] = page;
  response.writeHead(200, { 'content-type': type });
  response.end(await readFile(new URL(`public/${file}`, import.meta.url)));
}

async function models() {
  if (ai === undefined) return { models: [], hint: NOT_SET };
  const { data } = await ai.models.list();
  return { models: data.map(({ id }) => id) };
}

async function chat(request, response) {
  if (ai === undefined) return json(response, 503, { error: NOT_SET });
  const { model, messages } = await body(request);
  if (typeof model !== 'string' || !Array.isArray(messages)) return json(response, 400, { error: 'Send a model and messages.' });
  // A visitor who leaves ends the call, so that nothing more is paid for.
  const left = new AbortController();
  response.once('close', () => left.abort());
  const stream = await ai.chat.completions.create({ model, messages, stream: true }, { signal: left.signal });
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  for await (const { choices } of stream) response.write(choices[0]?.delta?.content ?? '');
  response.end();
}

async function body(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > MAX_BODY_BYTES) throw Object.assign(new Error('The conversation is too long.'), { status: 413 });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw Object.assign(new Error('The body is not JSON.'), { status: 400 });
  }
}

function json(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}
