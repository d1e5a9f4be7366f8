/**
 * The same on every answer. The API sends data and never a page, so that a browser is told to run and frame nothing;
 * the few pages set a policy of their own. Names and values in turns.
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
    "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control',
    'no-store',
  ];
  // Promising HTTPS for a year makes sense only where it is what callers are told to use.
  if (publicUrl.startsWith('https:')) headers.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  return headers;
}
