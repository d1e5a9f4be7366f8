import { imagesIn } from './image-results.js';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');
const JPEG = Buffer.from('ffd8ffe000', 'hex').toString('base64');
const answer = (...results: readonly object[]): { data: object; meta: object } => ({
  data: { stdout: 'x', results },
  meta: { request_id: 'req_1' },
});

describe('imagesIn', () => {
  it('takes out images in their order, and says which is which', () => {
    const text = { type: 'text/plain', data: '42' };
    const given = answer({ type: 'image/png', data: PNG }, text, { type: 'image/jpeg', data: JPEG });
    expect(imagesIn(given)).toEqual({
      body: answer({ type: 'image/png', image: 1 }, text, { type: 'image/jpeg', image: 2 }),
      images: [
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'image', data: JPEG, mimeType: 'image/jpeg' },
      ],
    });
  });

  it.each([
    ['base64 that is none', { type: 'image/png', data: `${PNG}%` }],
    ['base64 of another length', { type: 'image/png', data: `${PNG.slice(0, 12)}x` }],
    ['another kind of image', { type: 'image/png', data: JPEG }],
    ['no image at all', { type: 'image/jpeg', data: Buffer.from('<script>').toString('base64') }],
    ['SVG, which is text', { type: 'image/svg+xml', data: '<svg/>' }],
  ])('leaves %s as text', (_, result) => {
    expect(imagesIn(answer(result))).toEqual({ body: answer(result), images: [] });
  });

  it.each([{ data: null }, { data: [] }, { data: { stdout: '' } }, {}])('leaves %j as it is', (body) => {
    expect(imagesIn(body)).toEqual({ body, images: [] });
  });
});
