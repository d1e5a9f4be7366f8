import { readFile } from '../../../lib/bucket';

/** Anyone can upload, so only images are shown, and all else is downloaded. */
const SHOWN = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp']);

export async function GET(_request: Request, { params }: { params: Promise<{ key: string[] }> }) {
  const { key } = await params;
  const file = await readFile(key.map(decodeURIComponent).join('/'));
  if (file === undefined) return new Response('There is no such file.', { status: 404 });
  const type = file.type ?? '';
  return new Response(file.body, {
    headers: {
      'content-type': SHOWN.has(type) ? type : 'application/octet-stream',
      'content-disposition': SHOWN.has(type) ? 'inline' : 'attachment',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
    },
  });
}
