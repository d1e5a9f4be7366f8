import type { Bucket } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProjectsAttached } from '../attachments/projects-attached';
import { bucketAttachmentsQuery } from '../data/storage';
import { AttachBucket, BUCKET_ATTACHMENT, detachBucket } from './attach-bucket';

interface BucketAttachmentsProps {
  readonly org: string;
  readonly bucket: Bucket;
}

/** The projects whose apps get a key pair of this bucket. Only those who may change them see them. */
export function BucketAttachments({ org, bucket }: BucketAttachmentsProps): ReactNode {
  return (
    <ProjectsAttached
      org={org}
      name={bucket.name}
      hint="Apps of these projects get the bucket and a key pair that opens nothing else."
      query={useInfiniteQuery(bucketAttachmentsQuery(org, bucket.id))}
      kind={BUCKET_ATTACHMENT}
      mayWrite
      form={(open) => <AttachBucket {...open} org={org} pair={(project) => ({ bucket: bucket.id, project })} />}
      onDetach={({ project_id: project }) => detachBucket(org, bucket.id, project)}
    />
  );
}
