import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Skeleton } from '../ui/skeleton';
import { sizeOfPicture } from './picture-size';

interface PictureProps {
  readonly label: string;
  /** What tells it from other pictures. */
  readonly name: string;
  readonly load: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** A picture takes four bytes of memory for each. */
const MOST_PIXELS = 40_000_000;

const bitmapQuery = ({ name, load }: PictureProps) =>
  queryOptions({
    queryKey: ['sandbox-picture', name],
    queryFn: async () => {
      const bytes = await load();
      const size = sizeOfPicture(bytes);
      if (size === undefined || size.width * size.height > MOST_PIXELS) throw new Error('It is too large.');
      return createImageBitmap(new Blob([bytes]));
    },
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/**
 * A picture of a program. It is drawn: the policy allows neither `data:` nor `blob:` as the address of a picture, and a
 * canvas needs none. What is no PNG or JPEG is not drawn, above all no SVG, which is a document.
 */
export function Picture(props: PictureProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const bitmap = useQuery(bitmapQuery(props));
  useEffect(() => {
    if (bitmap.data === undefined || canvas.current === null) return;
    canvas.current.width = bitmap.data.width;
    canvas.current.height = bitmap.data.height;
    canvas.current.getContext('2d')!.drawImage(bitmap.data, 0, 0);
  }, [bitmap.data]);
  if (bitmap.error !== null) return <p className="text-muted">This browser cannot show the picture.</p>;
  if (bitmap.data === undefined) return <Skeleton lines={2} />;
  return (
    // Plots are drawn for white paper.
    <div className="border-line w-fit max-w-full rounded-md border bg-white p-1">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${props.label}, ${bitmap.data.width} by ${bitmap.data.height} pixels`}
        className="max-h-120 max-w-full object-contain"
      />
    </div>
  );
}
