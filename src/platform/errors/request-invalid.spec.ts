import { RequestInvalid } from './request-invalid.js';

const fault = (message: string) => ({ path: 'email', in: 'body', code: 'any', message }) as const;

describe('RequestInvalid', () => {
  it('names the first fault and the number of invalid fields', () => {
    expect(new RequestInvalid([fault('There is no field email.')]).message).toBe('There is no field email.');
    expect(new RequestInvalid([fault('There is no field email.'), fault('x'), fault('y')]).message).toBe(
      '3 fields are invalid. The first: There is no field email.',
    );
    expect(new RequestInvalid([fault('login must be a string'), fault('x')]).message).toBe(
      '2 fields are invalid. The first: login must be a string',
    );
    expect(new RequestInvalid([]).message).toBe('The request is invalid.');
  });
});
