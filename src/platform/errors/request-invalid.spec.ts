import { RequestInvalid } from './request-invalid.js';

const fault = (message: string) => ({ path: 'email', in: 'body', code: 'any', message }) as const;

describe('a request that is not valid', () => {
  it('is told by its first fault, and by how many more there are', () => {
    expect(new RequestInvalid([fault('There is no field email.')]).message).toBe('There is no field email.');
    expect(new RequestInvalid([fault('There is no field email.'), fault('x'), fault('y')]).message).toBe(
      '3 fields are not valid. The first: There is no field email.',
    );
    expect(new RequestInvalid([fault('login must be a string'), fault('x')]).message).toBe(
      '2 fields are not valid. The first: login must be a string',
    );
    expect(new RequestInvalid([]).message).toBe('The request is not valid.');
  });
});
