import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AnswerBody } from './tool-answers.js';

type Content = CallToolResult['content'];

/** How the base64 of each kind begins. A client that is sent something else may refuse the whole result. */
const BEGINNINGS: Readonly<Record<string, string>> = { 'image/png': 'iVBORw0KGgo', 'image/jpeg': '/9j/' };
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

interface Shown {
  readonly type: string;
  readonly data: string;
}

/**
 * Takes the images out of the `results` of an execution, so that a model sees them as images. In the answer, each
 * result says which image it is. What only claims to be an image stays text.
 */
export function imagesIn(body: AnswerBody): { readonly body: AnswerBody; readonly images: Content } {
  const data = body['data'] as { readonly results?: readonly Shown[] } | null | undefined;
  if (!Array.isArray(data?.results)) return { body, images: [] };
  const images: Content = [];
  const results = (data.results as readonly Shown[]).map((result) => {
    if (!isImage(result)) return result;
    images.push({ type: 'image', data: result.data, mimeType: result.type });
    return { type: result.type, image: images.length };
  });
  return { body: { ...body, data: { ...data, results } }, images };
}

function isImage({ type, data }: Shown): boolean {
  const beginning = BEGINNINGS[type];
  return beginning !== undefined && data.startsWith(beginning) && isBase64(data);
}

/** With its padding, and nothing else. */
export const isBase64 = (text: string): boolean => BASE64.test(text);
