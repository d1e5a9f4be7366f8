import { IsString } from 'class-validator';
import { Database } from '../../src/platform/database/database.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { OutboxBell } from '../../src/platform/outbox/outbox-bell.js';
import { OutboxMessage } from '../../src/platform/outbox/outbox-message.entity.js';
import { OutboxRelay } from '../../src/platform/outbox/outbox-relay.js';
import { defineJob } from '../../src/platform/background/define-job.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { Queues } from '../../src/platform/queues/queues.js';
import { eventually, useApp } from '../support/test-app.js';

class Note {
  @IsString() readonly text!: string;
}

const queueNamed = (name: string, attempts = 3): ReturnType<typeof defineJob<Note>> =>
  defineJob({ name, summary: 'Is tested.', payload: Note, attempts, backoffMs: 1, concurrency: 2 });

describe('the outbox', () => {
  const app = useApp();

  const put = (queue: ReturnType<typeof queueNamed>, text: string): Promise<void> =>
    app.get(Database).transaction(() => app.get(Outbox).enqueue(queue, { text }));

  it('delivers a job after the commit, with the ids of the request', async () => {
    const queue = queueNamed('outbox-commit');
    const seen: unknown[] = [];
    app.get(QueueWorkers).start(queue, {
      handle: ({ text }: Note) => {
        seen.push([text, app.get(RequestContext).current]);
        return Promise.resolve();
      },
    });
    const correlation = { requestId: 'req_test', traceId: 'f'.repeat(32) };
    await app.get(RequestContext).run(correlation, () => put(queue, 'hello'));
    await eventually(() => seen.length === 1, 'the job runs');
    expect(seen).toEqual([['hello', correlation]]);
  });

  it('delivers nothing after a rollback', async () => {
    const queue = queueNamed('outbox-rollback');
    const rolledBack = app.get(Database).transaction(async () => {
      await app.get(Outbox).enqueue(queue, { text: 'never' });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await app.get(Database).manager.countBy(OutboxMessage, { queue: queue.name })).toBe(0);
  });

  it('wakes the relay of the process on commit only', async () => {
    const ring = jest.spyOn(app.get(OutboxBell), 'ring');
    try {
      await app.get(Database).transaction(async () => {
        await app.get(Outbox).enqueue(queueNamed('outbox-bell'), { text: 'one' });
        expect(ring).not.toHaveBeenCalled();
      });
      expect(ring).toHaveBeenCalledTimes(1);
      const rolledBack = app.get(Database).transaction(async () => {
        await app.get(Outbox).enqueue(queueNamed('outbox-bell'), { text: 'two' });
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      expect(ring).toHaveBeenCalledTimes(1);
    } finally {
      ring.mockRestore();
    }
  });

  it('rejects a job outside of a transaction', async () => {
    await expect(app.get(Outbox).enqueue(queueNamed('outbox-alone'), { text: 'x' })).rejects.toThrow(
      'outside a transaction',
    );
  });

  it('relays each job once with several relays', async () => {
    const queue = queueNamed('outbox-race');
    const seen: string[] = [];
    app.get(QueueWorkers).start(queue, {
      handle: ({ text }: Note) => {
        seen.push(text);
        return Promise.resolve();
      },
    });
    await Promise.all(Array.from({ length: 50 }, (_, index) => put(queue, String(index))));
    await Promise.all(Array.from({ length: 4 }, () => app.get(OutboxRelay).drain()));
    await eventually(() => seen.length >= 50, 'all jobs run');
    expect(seen.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('keeps jobs while Redis is unavailable, and delivers them later', async () => {
    const queue = queueNamed('outbox-redis-away');
    const add = jest
      .spyOn(app.get(Queues).named(queue.name), 'add')
      .mockRejectedValue(new Error('Connection is closed.'));
    await put(queue, 'patient');
    await eventually(() => add.mock.calls.length > 0, 'the relay has tried');
    expect(await app.get(Database).manager.countBy(OutboxMessage, { queue: queue.name })).toBe(1);

    const seen: string[] = [];
    app.get(QueueWorkers).start(queue, {
      handle: ({ text }: Note) => {
        seen.push(text);
        return Promise.resolve();
      },
    });
    add.mockRestore();
    await eventually(() => seen.length === 1, 'the job runs');
    expect(seen).toEqual(['patient']);
  });

  it('retries a failing job, and gives up after the last attempt', async () => {
    const queue = queueNamed('outbox-failing');
    let tries = 0;
    const givenUp: string[] = [];
    app.get(QueueWorkers).start(queue, {
      handle: () => {
        tries += 1;
        return Promise.reject(new Error('fails'));
      },
      giveUp: ({ text }: Note) => {
        givenUp.push(text);
        return Promise.resolve();
      },
    });
    await put(queue, 'doomed');
    await eventually(() => givenUp.length > 0, 'it is given up');
    expect([tries, givenUp]).toEqual([3, ['doomed']]);
  });

  it('runs no handler on an invalid payload', async () => {
    const queue = queueNamed('outbox-payload', 1);
    let handled = 0;
    app.get(QueueWorkers).start(queue, {
      handle: () => {
        handled += 1;
        return Promise.resolve();
      },
    });
    const job = await app
      .get(Queues)
      .named(queue.name)
      .add(queue.name, { payload: { text: 7 } }, { removeOnFail: false });
    await eventually(async () => (await job.getState()) === 'failed', 'the job fails');
    expect(handled).toBe(0);
  });
});
