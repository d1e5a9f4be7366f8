import type { ReactNode } from 'react';
import { encode } from 'uqr';

/** A QR code that is made here, so that no secret leaves the page. It is dark on light in every theme, for cameras. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md"
    >
      <rect width={size} height={size} fill="white" />
      <path d={dark} fill="black" />
    </svg>
  );
}
