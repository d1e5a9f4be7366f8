/**
 * A model that costs no time of its own, as a process of `run.mjs`. It reads from the input of the run what to do:
 * `{"steps": 10}` calls the first tool in all answers but the last, and `{"delay_ms": 5000}` waits before each answer.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const USAGE = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 };
const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (choice) =>
  data({
    id: 'gen-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'small',
    choices: [{ index: 0, ...choice }],
  });
const END = data({
  id: 'gen-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'small',
  choices: [],
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
  const { messages, tools = [] } = JSON.parse(text);
  const order = orderOf(messages);
  if (order.mark !== undefined) process.send({ mark: order.mark, at: Date.now() });
  if (order.delay_ms !== undefined) await sleep(order.delay_ms);
  const answered = messages.filter(({ role }) => role === 'assistant').length;
  const tool = tools.find(({ function: { name } }) => name === (order.tool ?? 'recall'));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (tool !== undefined && answered < (order.steps ?? 1) - 1) {
    const call = { index: 0, id: `call-${answered}`, type: 'function' };
    const of = { name: tool.function.name, arguments: JSON.stringify(order.arguments ?? { query: 'bread' }) };
    response.write(chunk({ delta: { tool_calls: [{ ...call, function: of }] }, finish_reason: null }));
    response.write(chunk({ delta: {}, finish_reason: 'tool_calls' }));
  } else {
    response.write(chunk({ delta: { content: 'Done.' }, finish_reason: null }));
    response.write(chunk({ delta: {}, finish_reason: 'stop' }));
  }
  response.end(`${END}data: [DONE]\n\n`);
}

/** The last JSON object in a message of the user. */
function orderOf(messages) {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user') continue;
    const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
    const found = /\{.*\}/s.exec(text)?.[0];
    try {
      if (found !== undefined) return JSON.parse(found);
    } catch {
      // It is text with braces.
    }
  }
  return {};
}
