import type { StoredObject } from '@service/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { api } from '../api';
import { ErrorNote } from '../ui/error-note';
import { Skeleton } from '../ui/skeleton';
import { previewOf } from './object-names';
import { addressOf } from './open-object';

interface PreviewProps {
  readonly org: string;
  readonly bucket: string;
  readonly object: StoredObject;
}

/** Larger ones would hold up the page. */
const IMAGE_BYTES = 20_000_000;
const TEXT_BYTES = 65_536;

/** What an object looks like. Nothing of it runs here: pictures are drawn, texts are text, and media have a player. */
export function Preview(props: PreviewProps): ReactNode {
  const { content_type: type, size_bytes: size } = props.object;
  switch (previewOf(type)) {
    case 'image':
      return size <= IMAGE_BYTES ? <Picture {...props} /> : null;
    case 'text':
      return <Text {...props} />;
    case 'video':
    case 'audio':
    case 'pdf':
      return <Media {...props} kind={previewOf(type) as 'video' | 'audio' | 'pdf'} />;
    case undefined:
      return null;
  }
}

const imageQuery = ({ org, bucket, object: { key, etag } }: PreviewProps) =>
  queryOptions({
    queryKey: ['object-image', bucket, key, etag],
    queryFn: async ({ signal }) => {
      const response = await api.storage.objects.get(bucket, key, { organization: org, signal });
      return createImageBitmap(await response.blob());
    },
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** A picture is drawn: it needs no address in the page, and no file of a tenant becomes a part of the document. */
function Picture(props: PreviewProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const image = useQuery(imageQuery(props));
  useEffect(() => {
    if (image.data === undefined || canvas.current === null) return;
    canvas.current.width = image.data.width;
    canvas.current.height = image.data.height;
    canvas.current.getContext('2d')!.drawImage(image.data, 0, 0);
  }, [image.data]);
  if (image.error !== null) return <p className="text-muted">This browser cannot show the picture.</p>;
  if (image.data === undefined) return <Skeleton lines={4} />;
  return (
    <div className="bg-sunken border-line grid place-items-center rounded-md border p-2">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${props.object.key}, ${image.data.width} by ${image.data.height} pixels`}
        className="max-h-80 max-w-full object-contain"
      />
    </div>
  );
}

const textQuery = ({ org, bucket, object: { key, etag, size_bytes: size } }: PreviewProps) =>
  queryOptions({
    queryKey: ['object-text', bucket, key, etag],
    queryFn: async ({ signal }) => {
      // An empty object has no range.
      if (size === 0) return '';
      const range = `bytes=0-${Math.min(size, TEXT_BYTES) - 1}`;
      const response = await api.storage.objects.get(bucket, key, { organization: org, signal, range });
      return response.text();
    },
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

function Text(props: PreviewProps): ReactNode {
  const text = useQuery(textQuery(props));
  if (text.error !== null) return <ErrorNote error={text.error} onRetry={() => void text.refetch()} />;
  if (text.data === undefined) return <Skeleton lines={4} />;
  return (
    <div>
      <pre
        tabIndex={0}
        role="group"
        aria-label={`Text of ${props.object.key}`}
        className="bg-sunken border-line max-h-80 overflow-auto rounded-md border p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {text.data === '' ? <span className="text-muted">It is empty.</span> : text.data}
      </pre>
      {props.object.size_bytes > TEXT_BYTES && <p className="text-muted mt-1 text-sm">The first 64 KiB.</p>}
    </div>
  );
}

/** It comes from the origin of the storage, which has no part in this page. */
function Media({ org, bucket, object, kind }: PreviewProps & { readonly kind: 'video' | 'audio' | 'pdf' }): ReactNode {
  const address = useQuery({
    queryKey: ['object-address', bucket, object.key, object.etag],
    queryFn: () => addressOf(org, bucket, object.key),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  if (address.error !== null) return <ErrorNote error={address.error} onRetry={() => void address.refetch()} />;
  if (address.data === undefined) return <Skeleton lines={4} />;
  if (kind === 'pdf')
    return (
      <iframe
        src={address.data}
        title={object.key}
        referrerPolicy="no-referrer"
        className="border-line h-96 w-full rounded-md border"
      />
    );
  const Player = kind;
  return <Player src={address.data} controls preload="metadata" aria-label={object.key} className="max-h-80 w-full" />;
}
