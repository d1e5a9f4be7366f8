const [model, messages, form, text] = ['model', 'messages', 'form', 'text'].map((id) => document.getElementById(id));
const conversation = [];

const { models = [], hint, error } = await (await fetch('/api/models')).json();
for (const id of models) model.append(new Option(id, id));
if (models.length === 0) show('error', hint ?? error ?? 'There are no models.');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const question = text.value.trim();
  if (question === '') return;
  conversation.push({ role: 'user', content: question });
  show('user', question);
  text.value = '';
  form.querySelector('button').disabled = true;
  const reply = show('assistant', '…');
  try {
    const response = await fetch('/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: model.value, messages: conversation }),
    });
    if (!response.ok) throw new Error((await response.json()).error);
    let said = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      said += piece;
      reply.textContent = said;
      messages.scrollTop = messages.scrollHeight;
    }
    conversation.push({ role: 'assistant', content: said });
  } catch (error) {
    conversation.pop();
    reply.className = 'message error';
    reply.textContent = error.message;
  }
  form.querySelector('button').disabled = false;
});

text.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    form.requestSubmit();
  }
});

function show(kind, content) {
  const message = Object.assign(document.createElement('p'), { className: `message ${kind}`, textContent: content });
  messages.append(message);
  messages.scrollTop = messages.scrollHeight;
  return message;
}
