import { presign } from './presign.js';

// The example of the documentation of AWS for a presigned URL.
const by = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  at: new Date('2013-05-24T00:00:00Z'),
  expiresSeconds: 86_400,
};

it('signs the example of AWS as AWS does', () => {
  expect(presign({ method: 'GET', endpoint: 'https://examplebucket.s3.amazonaws.com', path: 'test.txt' }, by)).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

it('keeps the path of an endpoint, and encodes everything that the signature prescribes', () => {
  const path = "shop/ä b/!'()*~.txt";
  expect(presign({ method: 'GET', endpoint: 'https://api.example.com/s3', path }, by)).toMatch(
    /^https:\/\/api\.example\.com\/s3\/shop\/%C3%A4%20b\/%21%27%28%29%2A~\.txt\?X-Amz-Algorithm=/,
  );
});

it('sorts parameters by their names, and signs the headers that the request must have', () => {
  const request = { method: 'PUT', endpoint: 'http://storage.localhost:3001', path: 'shop/a' };
  const url = presign({ ...request, query: { w0: '', w: '1' }, headers: { 'content-type': 'image/png' } }, by);
  expect(url).toContain('&X-Amz-SignedHeaders=content-type%3Bhost&w=1&w0=&X-Amz-Signature=');
  expect(url).not.toBe(presign({ ...request, query: { w0: '', w: '1' }, headers: { 'content-type': 'a/b' } }, by));
});
