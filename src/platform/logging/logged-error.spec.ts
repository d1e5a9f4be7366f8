import { QueryFailedError } from 'typeorm';
import { loggedError } from './logged-error.js';

const textOf = (error: unknown): string => JSON.stringify(loggedError(error));

describe('loggedError', () => {
  it('has the name, message, stack and code of an error, and those of its causes', () => {
    const cause = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED', address: '127.0.0.1', port: 6379 });
    const error = new Error('no connection', { cause });
    expect(loggedError(error)).toEqual({
      type: 'Error',
      message: 'no connection',
      stack: error.stack,
      cause: {
        type: 'TypeError',
        message: 'refused',
        stack: cause.stack,
        code: 'ECONNREFUSED',
        address: '127.0.0.1',
        port: 6379,
      },
    });
  });

  it('has neither the parameters of a statement that failed nor the row that was refused', () => {
    const refused = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
      code: '23505',
      detail: 'Key (email)=(ada@example.org) already exists.',
      constraint: 'users_email',
    });
    const error = new QueryFailedError("INSERT INTO users VALUES ('plain')", ['ada@example.org', 'hash'], refused);
    expect(textOf(error)).not.toMatch(/ada@example|hash|plain/);
    expect(loggedError(error)).toMatchObject({ type: 'QueryFailedError', code: '23505', constraint: 'users_email' });
  });

  it('has nothing else that is attached to an error', () => {
    const error = Object.assign(new Error('refused'), { request: { headers: { authorization: 'hunter2' } }, code: {} });
    expect(textOf(error)).not.toContain('hunter2');
    expect(loggedError(error)).not.toHaveProperty('code');
  });

  it('ends with causes that lead back, and lists errors of a group', () => {
    const error: Error & { cause?: unknown } = new Error('again');
    error.cause = error;
    expect(textOf(error).length).toBeLessThan(100_000);
    const group = new AggregateError([new Error('one'), 'two'], 'both');
    expect(loggedError(group)).toMatchObject({ aggregateErrors: [{ message: 'one' }, 'two'] });
  });

  it('leaves other values as they are', () => {
    expect(loggedError('text')).toBe('text');
    expect(loggedError(undefined)).toBeUndefined();
  });
});
