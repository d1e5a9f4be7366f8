/**
 * The content security policy of the pages. They load nothing from elsewhere; the interactive reference needs inline
 * styles.
 */
export const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
