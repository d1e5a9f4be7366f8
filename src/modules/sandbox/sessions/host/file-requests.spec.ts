import { type AgentRequest } from './agent-messages.js';
import { FileRequests } from './file-requests.js';

const MINUTE_MS = 60_000;

/** What a session has asked its agent, which does nothing by itself. */
function open(): { files: FileRequests; asked: AgentRequest[]; state: { unread: number; isGivenUp: boolean } } {
  const asked: AgentRequest[] = [];
  const state = { unread: 0, isGivenUp: false };
  const files = new FileRequests({
    send: (request, body) => {
      asked.push(request);
      state.unread += body?.length ?? 0;
    },
    unread: () => state.unread,
    giveUp: () => {
      state.isGivenUp = true;
      files.close();
    },
  });
  return { files, asked, state };
}

const answerTo = (request: AgentRequest): Parameters<FileRequests['answer']>[0] => ({
  op: 'answer',
  id: (request as { id: number }).id,
  fault: null,
  body: Buffer.alloc(0),
});

describe('requests for files', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('wait for as long as the agent reads on, and then some', async () => {
    const { files, asked, state } = open();
    const writing = Promise.all(Array.from({ length: 9 }, () => files.ask('write', 'x', Buffer.alloc(1_000))));
    for (let second = 0; second < 200; second += 20) {
      jest.advanceTimersByTime(20_000);
      state.unread -= 900;
    }
    expect(state.isGivenUp).toBe(false);
    for (const request of asked) files.answer(answerTo(request));
    await writing;
    expect(files.isWaiting).toBe(false);
    jest.advanceTimersByTime(10 * MINUTE_MS);
    expect(state.isGivenUp).toBe(false);
  });

  it('ask an agent that does a long work if it is there', async () => {
    const { files, asked, state } = open();
    const removing = files.ask('remove', 'many');
    for (let second = 0; second < 200; second += 1) {
      jest.advanceTimersByTime(1_000);
      while (asked.length > 1) files.answer(answerTo(asked.pop()!));
    }
    expect(state.isGivenUp).toBe(false);
    files.answer(answerTo(asked[0]!));
    await removing;
  });

  it('give an agent up that does nothing for a minute', async () => {
    const { files, state } = open();
    const reading = expect(files.ask('read', 'x')).rejects.toThrow('ended');
    jest.advanceTimersByTime(MINUTE_MS - 2_000);
    expect(state.isGivenUp).toBe(false);
    jest.advanceTimersByTime(4_000);
    expect(state.isGivenUp).toBe(true);
    await reading;
  });

  it('give an agent up that answers everything but one request', async () => {
    const { files, asked, state } = open();
    const reading = expect(files.ask('read', 'x')).rejects.toThrow('ended');
    for (let second = 0; second < 302; second += 1) {
      jest.advanceTimersByTime(1_000);
      while (asked.length > 1) files.answer(answerTo(asked.pop()!));
    }
    expect(state.isGivenUp).toBe(true);
    await reading;
  });
});
