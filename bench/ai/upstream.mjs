/**
 * A model that costs no time of its own: an OpenAI-compatible server that `run.mjs` starts as a process. Its answers
 * have as many frames as `x-frames` says, one each `x-every-ms`; all else is at once.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const USAGE = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 };
const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta) => data({ id: 'gen-1', object: 'chat.completion.chunk', created: 1, model: 'small', ...delta });
const FRAME = chunk({ choices: [{ index: 0, delta: { content: 'hello there ' }, finish_reason: null }] });
const LAST =
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  chunk({ choices: [], usage: USAGE }) +
  'data: [DONE]\n\n';
const WHOLE = JSON.stringify({
  id: 'gen-1',
  object: 'chat.completion',
  created: 1,
  model: 'small',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello '.repeat(50) } }],
  usage: USAGE,
});

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  request.once('end', () => {
    void answer(request, response, text);
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));

async function answer(request, response, text) {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'small', object: 'model' }] }));
    return;
  }
  const { stream, user, frames = 10, every_ms: everyMs = 0 } = JSON.parse(text);
  void user;
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(WHOLE);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let sent = 0; sent < frames && !response.destroyed; sent++) {
    response.write(FRAME);
    if (everyMs > 0) await sleep(everyMs);
  }
  response.end(LAST);
}
