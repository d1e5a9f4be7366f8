/** Returns the address of an object: its key, with everything encoded that a URL does not take, but for `/`. */
export const publicUrlOf = (origin: string, key: string): string =>
  `${origin}/${key.split('/').map(encodedSegment).join('/')}`;

/** A URL has no segments of dots, so that they are encoded in whole. Browsers still resolve them: such keys need S3. */
const encodedSegment = (segment: string): string =>
  segment === '.' || segment === '..' ? segment.replaceAll('.', '%2E') : encodeURIComponent(segment);
