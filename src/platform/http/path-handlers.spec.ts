import type { IncomingMessage } from 'node:http';
import { PathHandlers } from './path-handlers.js';

describe('the handlers of paths', () => {
  const paths = new PathHandlers();
  const handler = (): void => undefined;
  paths.add('/s3', handler);

  it.each(['/s3', '/s3/', '/s3/bucket/key?x=1', '/s3?list-type=2', '/s3//..'])('answer %s', (url) => {
    expect(paths.of({ url } as IncomingMessage)).toBe(handler);
  });

  it.each(['/', '/s', '/s33', '/S3', '/s3%2Fbucket', '/api/v1/s3', ''])('leave %s to the routes', (url) => {
    expect(paths.of({ url } as IncomingMessage)).toBeUndefined();
  });
});
