/**
 * The headers that every response has. The API sends data and no pages, so browsers are instructed to run and frame
 * nothing; the few pages set a policy of their own. Names and values alternate.
 */
export function securityHeaders(publicUrl: string): readonly string[] {
  const headers = [
    'X-Content-Type-Options',
    'nosniff',
    'X-Frame-Options',
    'DENY',
    'Referrer-Policy',
    'no-referrer',
    'Content-Security-Policy',
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'Cache-Control',
    'no-store',
  ];
  // A promise of HTTPS for a year makes sense only when the public URL uses it.
  if (publicUrl.startsWith('https:')) headers.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  return headers;
}
