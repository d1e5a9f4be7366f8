/** The pages are ours and bring everything with them; their interactive reference styles itself inline. */
export const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
